import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { CareProviderPrincipal, ClientPrincipal, ClinicPrincipal } from '../../shared/access/index.js';
import { InvalidRequestError, UnknownSecretLinkError } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Channels } from '../channel/channel-registry.js';
import { viewPreference, type PreferenceModel, type PutPreference } from './preference.dto.js';
import {
  effectivePreference,
  OPT_OUT_TOKEN,
  ReminderPreference,
  type PreferenceOwnerKind,
} from '../domain/preference/reminder-preference.entity.js';
import { ReminderReplanning } from '../planning/reminder-replanning.js';
import { REMINDER_KINDS, type ReminderKind } from '../domain/delivery-decision.js';

type Owner = { kind: PreferenceOwnerKind; id: number; clinicId: number; timeZone: string };

/** How people want to be reminded, and what their Clinic sets for those who have not said. */
@Injectable()
export class PreferenceService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly channels: Channels,
    private readonly replanning: ReminderReplanning,
    private readonly clock: Clock,
  ) {}

  /** The caller's own preference, and what holds for them in the end. */
  get(caller: ClientPrincipal | CareProviderPrincipal | ClinicPrincipal): Promise<PreferenceModel> {
    return this.em.transactional(async () => this.view(await this.ownerOf(caller)));
  }

  /** @throws InvalidRequestError for a channel that there is not */
  put(
    caller: ClientPrincipal | CareProviderPrincipal | ClinicPrincipal,
    request: PutPreference,
  ): Promise<PreferenceModel> {
    return this.em.transactional(async (em) => {
      const owner = await this.ownerOf(caller);
      this.requireChannels(request.channels ?? []);
      // Whoever plans reminders for them at this moment comes first, or finds the new hours.
      if (owner.kind !== 'CLINIC') await this.directory.lockPerson(owner.clinicId, { kind: owner.kind, id: owner.id });
      const preference = (await this.find(owner)) ?? new ReminderPreference(owner.clinicId, owner, this.clock.now());
      preference.write(request, this.clock.now());
      await em.persist(preference).flush();
      await this.replan(owner);
      return this.view(owner);
    });
  }

  /** Ends the reminders of one kind for whoever holds the link. @throws UnknownLinkError for a link that is none */
  optOut(kind: string, secret: string): Promise<void> {
    return this.em.transactional(async () => {
      const { preference, reminders } = await this.findOptOut(kind, secret, LockMode.PESSIMISTIC_WRITE);
      preference.optOut(reminders, this.clock.now());
    });
  }

  /** @throws UnknownLinkError for a link that is none */
  async requireOptOutLink(kind: string, secret: string): Promise<void> {
    await this.em.transactional(() => this.findOptOut(kind, secret));
  }

  /** Whose reminders a link ends, and which: for a request that acts as the holder of the link. */
  private async findOptOut(
    kind: string,
    secret: string,
    lockMode: LockMode = LockMode.NONE,
  ): Promise<{ preference: ReminderPreference; reminders: ReminderKind }> {
    const reminders = REMINDER_KINDS.find((each) => each.toLowerCase() === kind);
    if (reminders === undefined || !OPT_OUT_TOKEN.test(secret)) throw new UnknownSecretLinkError();
    const where = { optOutToken: secret, ownerKind: { $ne: 'CLINIC' as const } };
    const preference = await this.em.findActor(ReminderPreference, where, { lockMode });
    if (preference === null) throw new UnknownSecretLinkError();
    return { preference, reminders };
  }

  /** The quiet hours may be others now. */
  private replan({ kind, id, clinicId }: Owner): Promise<void> {
    if (kind === 'CLINIC') return this.replanning.requestForClinic(clinicId);
    return this.replanning.replanRecipient(clinicId, { kind, id });
  }

  private async ownerOf(caller: ClientPrincipal | CareProviderPrincipal | ClinicPrincipal): Promise<Owner> {
    if (caller.role === 'CLINIC') {
      const { id, timeZone } = await this.directory.requireClinic(caller);
      return { kind: 'CLINIC', id, clinicId: id, timeZone };
    }
    if (caller.role === 'CLIENT') {
      const { client, clinic } = await this.directory.requireClient(caller);
      return { kind: 'CLIENT', id: client.id, clinicId: clinic.id, timeZone: client.timeZone ?? clinic.timeZone };
    }
    const { careProvider, clinic } = await this.directory.requireCareProvider(caller);
    const timeZone = careProvider.timeZone ?? clinic.timeZone;
    return { kind: 'CARE_PROVIDER', id: careProvider.id, clinicId: clinic.id, timeZone };
  }

  private find({ kind, id, clinicId }: Pick<Owner, 'kind' | 'id' | 'clinicId'>): Promise<ReminderPreference | null> {
    return this.em.findOne(ReminderPreference, { clinicId, ownerKind: kind, ownerId: id });
  }

  private async view(owner: Owner): Promise<PreferenceModel> {
    const { clinicId, kind, timeZone } = owner;
    const own = await this.find(owner);
    const clinic = kind === 'CLINIC' ? own : await this.find({ kind: 'CLINIC', id: clinicId, clinicId });
    const { configured } = this.channels;
    return viewPreference(own, effectivePreference(own ?? undefined, clinic ?? undefined, configured, timeZone));
  }

  private requireChannels(names: readonly string[]): void {
    const unknown = names.flatMap((name, index) => (this.channels.get(name) === undefined ? [index] : []));
    if (unknown.length === 0) return;
    const detail = `must be one of ${this.channels.names.join(', ')}`;
    throw new InvalidRequestError(unknown.map((index) => ({ pointer: `/channels/${index}`, detail })));
  }
}
