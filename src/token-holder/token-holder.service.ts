import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { z } from 'zod';
import { TokenHolderRevocations, MAX_CLOCK_SKEW_SECONDS, RevokedTokenHolder, type TokenHolder } from '../auth/index.js';
import { CalendarLinkService, type CalendarOwner } from '../calendar/index.js';
import { CareProvider, Client, Directory, ParticipantLocks, type PersonRef } from '../directory/index.js';
import type { ClinicPrincipal } from '../shared/access/index.js';
import { ConflictError, InvalidRequestError, UnprocessableError } from '../shared/errors/index.js';
import { acquireExclusiveClinicLockSql, TenantEntityManager } from '../shared/persistence/index.js';
import { parseCursor, toPage, type Page, type PageQuery } from '../shared/validation/index.js';
import {
  toRevokedTokenHolderModel,
  type NamedRecord,
  type RevokedTokenHolderModel,
  type RevokeTokenHolder,
} from './dto/revoked-token-holder.js';

/** Maximum numbers of revocations that are in effect. They are limited because every instance keeps them in memory. */
const MAX_OF_CLINIC = 1_000;
const MAX_OF_ADMINISTRATORS = 10_000;

const cursorSchema = z.tuple([z.int()]);

/** Revokes all tokens of a subject or directory record. */
@Injectable()
export class TokenHolderService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly revocations: TokenHolderRevocations,
    private readonly calendarLinks: CalendarLinkService,
    private readonly participantLocks: ParticipantLocks,
  ) {}

  /**
   * Revokes the tokens of a subject or of any directory record, for administrators.
   *
   * @throws ConflictError if too many revocations are in effect
   * @throws InvalidRequestError if the instant is too far in the future
   * @throws UnprocessableError if the record does not exist
   */
  revokeAny(request: RevokeTokenHolder): Promise<RevokedTokenHolderModel> {
    return this.em.transactional(async () => {
      if (request.record != null) await this.requireRecord(request.record);
      return this.revoke(request, null);
    });
  }

  /**
   * Revokes the tokens of the caller's Clinic or of one of its people. Also revokes the calendar links of the person,
   * unless the request names a subject.
   *
   * @throws ConflictError if too many revocations are in effect
   * @throws InvalidRequestError if the instant is too far in the future
   * @throws UnprocessableError if the record is neither the caller's Clinic nor one of its people
   */
  revokeOwn(caller: ClinicPrincipal, request: RevokeTokenHolder): Promise<RevokedTokenHolderModel> {
    return this.em.transactional(async () => {
      const { id: clinicId } = await this.directory.requireClinic(caller);
      await this.requireOwnRecord(clinicId, request.record!);
      const owner = request.subject == null ? findPerson(request.record!) : undefined;
      // A link that is being created is stored before, or its creation waits, and then finds the revocation.
      if (owner !== undefined) await this.participantLocks.lockPerson(clinicId, owner);
      const revoked = await this.revoke(request, clinicId);
      if (owner !== undefined)
        await this.calendarLinks.revokeLinksOf(toCalendarOwner(clinicId, owner), request.issuedBefore ?? undefined);
      return revoked;
    });
  }

  /** Returns the revocations by administrators whose tokens have not all expired, oldest first. */
  listAny(query: PageQuery): Promise<Page<RevokedTokenHolderModel>> {
    return this.em.transactional(() => this.list(query, null));
  }

  /** Returns the revocations by the caller's Clinic whose tokens have not all expired, oldest first. */
  listOwn(caller: ClinicPrincipal, query: PageQuery): Promise<Page<RevokedTokenHolderModel>> {
    return this.em.transactional(async () => this.list(query, (await this.directory.requireClinic(caller)).id));
  }

  private async revoke(
    { subject, record, issuedBefore }: RevokeTokenHolder,
    clinicId: number | null,
  ): Promise<RevokedTokenHolderModel> {
    const now = this.revocations.now();
    const latest = now.add({ seconds: MAX_CLOCK_SKEW_SECONDS });
    if (issuedBefore && Temporal.Instant.compare(issuedBefore, latest) > 0) {
      throw new InvalidRequestError([{ pointer: '/issuedBefore', detail: 'must be at most a minute ahead' }]);
    }
    const holder = { subject: subject ?? null, ...(record ?? { role: null, recordId: null }) } as TokenHolder;
    // A Clinic's revocations without a subject are not limited, because there is at most one per person.
    if (clinicId === null || holder.subject !== null) await this.requireSpace(holder, clinicId, now);
    await this.revocations.revoke(holder, clinicId, issuedBefore ?? now);
    return toRevokedTokenHolderModel(await this.revocations.find(holder, clinicId));
  }

  private async list({ limit, cursor }: PageQuery, clinicId: number | null): Promise<Page<RevokedTokenHolderModel>> {
    const [id = 0] = parseCursor(cursor, cursorSchema) ?? [];
    const where = { clinicId, id: { $gt: id }, expiresAt: { $gt: this.revocations.now() } };
    const holders = await this.em.find(RevokedTokenHolder, where, { orderBy: { id: 'asc' }, limit: limit + 1 });
    return toPage(holders, limit, (holder) => [holder.id], toRevokedTokenHolderModel);
  }

  /**
   * Checks that the record exists. Administrators cannot read the tables of Clients and Care Providers, so a database
   * function does it.
   */
  private async requireRecord({ role, recordId }: NamedRecord): Promise<void> {
    const { rows } = await sql<{
      exists: boolean;
    }>`select directory_record_exists(${role}, ${recordId}) as exists`.execute(this.em.getKysely());
    if (rows[0]!.exists) return;
    throw new UnprocessableError([
      { pointer: '/record', detail: 'must be a Clinic, Care Provider or Client that exists' },
    ]);
  }

  private async requireOwnRecord(clinicId: number, { role, recordId: id }: NamedRecord): Promise<void> {
    if (role === 'CLINIC' ? id === clinicId : await this.hasPerson(clinicId, role, id)) return;
    throw new UnprocessableError([
      { pointer: '/record', detail: 'must be your Clinic, or one of its Care Providers or Clients' },
    ]);
  }

  private async hasPerson(clinicId: number, role: 'CARE_PROVIDER' | 'CLIENT', id: number): Promise<boolean> {
    const where = { clinicId, id };
    if (role === 'CLIENT') return (await this.em.countUpTo(Client, where, 1)) === 1;
    return (await this.em.countUpTo(CareProvider, where, 1)) === 1;
  }

  /** Checks the number of revocations: all of administrators, or those of a Clinic that name a subject. */
  private async requireSpace(holder: TokenHolder, clinicId: number | null, now: Temporal.Instant): Promise<void> {
    const maximum = clinicId === null ? MAX_OF_ADMINISTRATORS : MAX_OF_CLINIC;
    const subject = clinicId === null ? {} : { subject: { $ne: null } };
    const where = { clinicId, ...subject, expiresAt: { $gt: now } };
    // Requests at the same time would otherwise count the same revocations.
    await acquireExclusiveClinicLockSql('revocations', clinicId).execute(this.em.getKysely());
    if ((await this.em.countUpTo(RevokedTokenHolder, where, maximum)) < maximum) return;
    // A repeated revocation adds none.
    if ((await this.em.countUpTo(RevokedTokenHolder, { ...where, ...holder }, 1)) > 0) return;
    throw new ConflictError(`There are ${maximum} revocations already: revoke the tokens of records instead.`);
  }
}

/** Returns undefined for a Clinic, which has no calendar. */
function findPerson({ role, recordId }: NamedRecord): PersonRef | undefined {
  return role === 'CLINIC' ? undefined : { kind: role, id: recordId };
}

function toCalendarOwner(clinicId: number, { kind, id }: PersonRef): CalendarOwner {
  return kind === 'CLIENT' ? { clinicId, clientId: id } : { clinicId, caregiverId: id };
}
