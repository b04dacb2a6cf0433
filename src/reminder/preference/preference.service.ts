import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { chooseTimeZone, Directory, ParticipantLocks } from '../../directory/index.js';
import type { CareProviderPrincipal, ClientPrincipal, ClinicPrincipal } from '../../shared/access/index.js';
import { InvalidRequestError, NotFoundError, UnknownSecretLinkError } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { ChannelRegistry } from '../channel/channel-registry.js';
import { toPreferenceModel, type PreferenceModel, type PutPreference } from './preference.dto.js';
import {
  resolvePreference,
  ReminderPreference,
  type PreferenceOwnerKind,
} from '../domain/preference/reminder-preference.entity.js';
import {
  hashOptOutSecret,
  OptOutLink,
  OPT_OUT_SECRET_PATTERN,
  parseOptOutSegment,
} from '../domain/preference/opt-out-link.entity.js';
import { ReminderReplanning } from '../planning/reminder-replanning.js';
import type { ReminderKind } from '../domain/reminder-kinds.js';

type Owner = { kind: PreferenceOwnerKind; id: number; clinicId: number; timeZone: string };

/** Reads and writes the reminder preferences of recipients and the defaults of Clinics. */
@Injectable()
export class PreferenceService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly participantLocks: ParticipantLocks,
    private readonly channels: ChannelRegistry,
    private readonly replanning: ReminderReplanning,
    private readonly clock: Clock,
  ) {}

  /** Returns the caller's own preference and the values that apply. */
  get(caller: ClientPrincipal | CareProviderPrincipal | ClinicPrincipal): Promise<PreferenceModel> {
    return this.em.transactional(async () => this.toModel(await this.findOwner(caller)));
  }

  /** Returns a Client's preference and the values that apply, for the export of the Client. Requires a transaction. */
  getOfClient(clinicId: number, clientId: number, timeZone: string): Promise<PreferenceModel> {
    return this.toModel({ kind: 'CLIENT', id: clientId, clinicId, timeZone });
  }

  /**
   * Replaces the caller's own preference, and requests new send times for the reminders to which it applies.
   *
   * @throws InvalidRequestError if a channel is unknown
   */
  put(
    caller: ClientPrincipal | CareProviderPrincipal | ClinicPrincipal,
    request: PutPreference,
  ): Promise<PreferenceModel> {
    return this.em.transactional(async (em) => {
      const owner = await this.findOwner(caller);
      this.assertKnownChannels(request.channels ?? []);
      await this.lockOwner(owner);
      const preference =
        (await this.findPreference(owner)) ?? new ReminderPreference(owner.clinicId, owner, this.clock.now());
      preference.update(request, this.clock.now());
      await em.persist(preference).flush();
      await this.requestReplanning(owner);
      return this.toModel(owner);
    });
  }

  /**
   * Serialises concurrent changes to a preference, which cannot be locked itself if it is not stored yet. The lock on a
   * person also serialises the change with transactions that plan reminders for this person.
   *
   * @throws ForbiddenError if the person was deactivated before it could be locked
   */
  private async lockOwner({ kind, id, clinicId }: Owner): Promise<void> {
    if (kind !== 'CLINIC') await this.participantLocks.lockCaller(clinicId, { kind, id });
    else await sql`select pg_advisory_xact_lock(hashtextextended(${`CLINIC${id}`}, 0))`.execute(this.em.getKysely());
  }

  /**
   * Opts the owner of a link out of the kinds of reminders in the link.
   *
   * @throws UnknownSecretLinkError if the link is unknown
   * @throws NotFoundError if the link has expired, or if its owner was erased before the preference could be locked
   */
  optOut(kinds: string, secret: string): Promise<void> {
    return this.em.transactional(async (em) => {
      const { link, reminderKinds } = await this.findOptOut(kinds, secret);
      const { clinicId, ownerKind, ownerId } = link;
      const owner = { kind: ownerKind, id: ownerId, clinicId };
      const now = this.clock.now();
      const { isErased } = await this.participantLocks.lockPerson(clinicId, owner);
      if (isErased) throw new NotFoundError();
      const preference = (await this.findPreference(owner)) ?? new ReminderPreference(clinicId, owner, now);
      for (const kind of reminderKinds) preference.optOut(kind, now);
      await em.persist(preference).flush();
    });
  }

  /**
   * Returns whether the owner of a link has already opted out of the kinds of reminders in the link.
   *
   * @throws UnknownSecretLinkError if the link is unknown
   * @throws NotFoundError if the link has expired
   */
  isOptedOut(kinds: string, secret: string): Promise<boolean> {
    return this.em.transactional(async () => {
      const { link, reminderKinds } = await this.findOptOut(kinds, secret);
      const { clinicId, ownerKind: kind, ownerId: id } = link;
      const preference = await this.findPreference({ kind, id, clinicId });
      return preference !== null && reminderKinds.every((one) => preference.optedOut.includes(one));
    });
  }

  /** Finds the link and the kinds of reminders that it ends. The request's actor must be the link holder. */
  private async findOptOut(
    kinds: string,
    secret: string,
  ): Promise<{ link: OptOutLink; reminderKinds: readonly ReminderKind[] }> {
    const reminderKinds = parseOptOutSegment(kinds);
    if (reminderKinds.length === 0 || !OPT_OUT_SECRET_PATTERN.test(secret)) throw new UnknownSecretLinkError();
    const link = await this.em.findActor(OptOutLink, { secretHash: hashOptOutSecret(secret) });
    if (link === null) throw new UnknownSecretLinkError();
    if (link.hasExpired(this.clock.now())) throw new NotFoundError();
    return { link, reminderKinds };
  }

  /** The quiet hours may have changed, so unsent reminders need new send times. */
  private requestReplanning({ kind, id, clinicId }: Owner): Promise<void> {
    if (kind === 'CLINIC') return this.replanning.requestClinicReplanning(clinicId);
    return this.replanning.replanRecipient(clinicId, { kind, id });
  }

  private async findOwner(caller: ClientPrincipal | CareProviderPrincipal | ClinicPrincipal): Promise<Owner> {
    if (caller.role === 'CLINIC') {
      const { id, timeZone } = await this.directory.requireClinic(caller);
      return { kind: 'CLINIC', id, clinicId: id, timeZone };
    }
    if (caller.role === 'CLIENT') {
      const { client, clinic } = await this.directory.requireClient(caller);
      return { kind: 'CLIENT', id: client.id, clinicId: clinic.id, timeZone: chooseTimeZone(client, clinic) };
    }
    const { careProvider, clinic } = await this.directory.requireCareProvider(caller);
    const timeZone = chooseTimeZone(careProvider, clinic);
    return { kind: 'CARE_PROVIDER', id: careProvider.id, clinicId: clinic.id, timeZone };
  }

  private findPreference({
    kind,
    id,
    clinicId,
  }: Pick<Owner, 'kind' | 'id' | 'clinicId'>): Promise<ReminderPreference | null> {
    return this.em.findOne(ReminderPreference, { clinicId, ownerKind: kind, ownerId: id });
  }

  private async toModel(owner: Owner): Promise<PreferenceModel> {
    const { clinicId, kind, timeZone } = owner;
    const ownPreference = await this.findPreference(owner);
    const clinicDefaults =
      kind === 'CLINIC' ? ownPreference : await this.findPreference({ kind: 'CLINIC', id: clinicId, clinicId });
    const { configuredNames } = this.channels;
    const effective = resolvePreference(
      ownPreference ?? undefined,
      clinicDefaults ?? undefined,
      configuredNames,
      timeZone,
    );
    return toPreferenceModel(ownPreference, effective);
  }

  private assertKnownChannels(names: readonly string[]): void {
    const unknown = names.flatMap((name, index) => (this.channels.get(name) === undefined ? [index] : []));
    if (unknown.length === 0) return;
    const detail = `must be one of ${this.channels.names.join(', ')}`;
    throw new InvalidRequestError(unknown.map((index) => ({ pointer: `/channels/${index}`, detail })));
  }
}
