// eslint-disable-next-line no-restricted-imports -- This job processes all Clinics.
import { EntityManager, LockMode, type FilterQuery } from '@mikro-orm/core';
// eslint-disable-next-line no-restricted-imports -- This job processes all Clinics.
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sql } from 'kysely';
import { TimeZoneEvents } from '../../directory/index.js';
import { findRootCause } from '../../shared/errors/index.js';
import {
  bulkUpdate,
  forkForActor,
  formatInstant,
  MAX_TRANSACTION_MS,
  UNTRACKED,
} from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Recipient } from '../domain/reminder-kinds.js';
import { findWithdrawalReason, isDueLaterInCurrentZone } from '../domain/reminder-rule.js';
import { TIME_DEPENDENT_SKIP_REASONS } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';
import type { SessionSnapshot } from '../domain/session-data.js';
import { canStoreNewTimes } from '../domain/storable-due-times.js';
import { MAX_QUIET_PERIOD } from '../domain/timing/quiet-hours.js';
import { toRecipientsFilter } from './recipient-filter.js';
import { SessionDataLookup } from './session-data-lookup.js';
import { TimeSettingsReader } from './time-settings-reader.js';

/**
 * Maximum number of reminders per transaction. A longer transaction would delay callers that change the same Sessions.
 */
const BATCH_SIZE = 500;

/** A recipient with more reminders is replanned by the job: 87,000 reminders took half a minute in a request. */
const MAX_REPLANNED_AT_ONCE = 2_000;

/**
 * The longest time by which another time zone moves a homework reminder: the offsets of zones differ by up to 26 hours,
 * and a local time that a clock change skips moves forward by up to two.
 */
const MAX_ZONE_CHANGE = Temporal.Duration.from({ hours: 28 });

/** A row of `reminder_replanning`. `lastDueAt` and `lastReminderId` identify the previous batch's last reminder. */
type ReplanningRequest = {
  id: number;
  clinicId: number;
  lastDueAt: Temporal.Instant | null;
  lastReminderId: number;
  /** Whether all reminders were replanned before, and are replanned once more. */
  isRepeated: boolean;
};

/** Reports the Clinics whose requests have failed in a run of the job. */
class ReplanningError extends Error {
  override readonly name = 'ReplanningError';
  /** The code of the first error, which the log shows. */
  readonly code: string | undefined;

  constructor(failures: ReadonlyMap<number, unknown>) {
    const [cause] = failures.values();
    const clinics = [...failures.keys()].map((id) => `Clinic ${id}`).join(', ');
    super(`The reminders of ${clinics} could not be replanned.`, { cause });
    this.code = findRootCause(cause).code;
  }
}

/**
 * Recomputes the times of unsent reminders after a change to quiet hours or a time zone. Reminders of a single
 * recipient are replanned immediately, unless there are thousands; those of a whole Clinic are replanned by a job, in
 * batches that any instance may process.
 */
@Injectable()
export class ReminderReplanning implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly timeZoneEvents: TimeZoneEvents,
    private readonly timeSettings: TimeSettingsReader,
    private readonly sessions: SessionDataLookup,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timeZoneEvents.subscribe(({ clinicId, person }) =>
      person === undefined ? this.requestClinicReplanning(clinicId) : this.replanRecipient(clinicId, person),
    );
  }

  /** Runs in the transaction that changes the settings of the recipient. */
  async replanRecipient(clinicId: number, { kind, id }: Recipient): Promise<void> {
    const ofRecipient = toRecipientsFilter(clinicId, { kind, ids: [id] });
    const where = { ...ofRecipient, $or: toReplannableFilter(this.clock.now()) };
    const found = await this.findPage(where, MAX_REPLANNED_AT_ONCE + 1);
    await (found.length > MAX_REPLANNED_AT_ONCE ? this.requestClinicReplanning(clinicId) : this.replan(where));
  }

  /**
   * Requests replanning for all reminders of a Clinic, in the transaction that changes the Clinic's settings. A new
   * request replaces older requests for the same Clinic.
   */
  async requestClinicReplanning(clinicId: number): Promise<void> {
    await sql`
      insert into reminder_replanning (clinic_id, requested_at)
      values (${clinicId}, ${formatInstant(this.clock.now())}::timestamptz)`.execute(this.kysely);
  }

  /**
   * Processes all replanning requests. A request that fails does not delay those of other Clinics; it stays, and the next
   * run tries it again.
   *
   * @param progress called after each batch
   * @returns the number of changed reminders
   * @throws ReplanningError at the end if requests of some Clinics have failed
   */
  async processRequests(progress: () => void = () => undefined): Promise<number> {
    let total = 0;
    const failures = new Map<number, unknown>();
    for (;;) {
      const changed = await this.processBatch(failures);
      if (changed === undefined) break;
      total += changed;
      progress();
    }
    if (failures.size > 0) throw new ReplanningError(failures);
    return total;
  }

  /** @param failures the errors of this run by Clinic, to which an error of this batch is added */
  private async processBatch(failures: Map<number, unknown>): Promise<number | undefined> {
    let claimedClinicId: number | undefined;
    const onClaim = (clinicId: number) => (claimedClinicId = clinicId);
    try {
      return await this.processNextBatch([...failures.keys()], onClaim);
    } catch (error) {
      if (claimedClinicId === undefined) throw error;
      failures.set(claimedClinicId, error);
      return 0;
    }
  }

  private processNextBatch(
    excludedClinicIds: readonly number[],
    onClaim: (clinicId: number) => void,
  ): Promise<number | undefined> {
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(async () => {
      const now = this.clock.now();
      const request = await this.claimNextRequest(excludedClinicIds, now);
      if (request === undefined) return undefined;
      onClaim(request.clinicId);
      const { clinicId, lastDueAt, lastReminderId } = request;
      // Quiet hours that contain an earlier due time are over, so those reminders need no new send time.
      const from = lastDueAt ?? now.subtract(MAX_QUIET_PERIOD);
      const afterLast = { dueAt: { $gte: from }, $or: [{ dueAt: { $gt: from } }, { id: { $gt: lastReminderId } }] };
      const { lastReminder, changed } = await this.replan(
        { clinicId, $and: [{ $or: toReplannableFilter(now) }, afterLast] },
        BATCH_SIZE,
      );
      await this.saveProgress(request, lastReminder);
      return changed;
    });
  }

  private async claimNextRequest(
    excludedClinicIds: readonly number[],
    now: Temporal.Instant,
  ): Promise<ReplanningRequest | undefined> {
    type Row = { id: string; clinic_id: string; due_ms: number | null; after_id: string; is_repeated: boolean };
    const { rows } = await sql<Row>`
      select id, clinic_id, (extract(epoch from after_due) * 1000)::float8 as due_ms, after_id,
        repeat_after is not null as is_repeated
      from reminder_replanning as request
      where not exists (select from reminder_replanning as newer
        where newer.clinic_id = request.clinic_id and newer.id > request.id)
        and clinic_id <> all(${[...excludedClinicIds]}::bigint[])
        and (repeat_after is null or repeat_after <= ${formatInstant(now)}::timestamptz)
      order by id limit 1 for update skip locked`.execute(this.kysely);
    const [row] = rows;
    if (row === undefined) return undefined;
    const lastDueAt = row.due_ms === null ? null : Temporal.Instant.fromEpochMilliseconds(row.due_ms);
    const ids = { id: Number(row.id), clinicId: Number(row.clinic_id), lastReminderId: Number(row.after_id) };
    return { ...ids, lastDueAt, isRepeated: row.is_repeated };
  }

  /**
   * A finished request is repeated once: until the longest transaction has ended, one that read the former settings may
   * create reminders.
   *
   * @param lastReminder the last reminder of the batch; undefined if all reminders are replanned
   */
  private async saveProgress(
    { id, clinicId, isRepeated }: ReplanningRequest,
    lastReminder: Pick<Reminder, 'dueAt' | 'id'> | undefined,
  ): Promise<void> {
    const own = sql`clinic_id = ${clinicId} and id = ${id}`;
    const statement =
      lastReminder !== undefined
        ? sql`update reminder_replanning set after_due = ${formatInstant(lastReminder.dueAt)}::timestamptz,
            after_id = ${lastReminder.id} where ${own}`
        : isRepeated
          ? sql`delete from reminder_replanning where clinic_id = ${clinicId} and id <= ${id}`
          : sql`update reminder_replanning set after_due = null, after_id = 0,
              repeat_after = requested_at + ${MAX_TRANSACTION_MS}::int * interval '1 millisecond' where ${own}`;
    await statement.execute(this.kysely);
  }

  /** @returns the number of changed reminders, and the last reminder of the batch if more may follow */
  private async replan(where: FilterQuery<Reminder> & { clinicId: number }, limit?: number) {
    const now = this.clock.now();
    const page = limit === undefined ? undefined : await this.findPage(where, limit);
    const selected = page === undefined ? where : { $and: [where, { id: { $in: page.map(({ id }) => id) } }] };
    // Like all transactions, locks reminders in ID order, to avoid deadlocks.
    const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } } as const;
    const reminders = await this.em.find(Reminder, selected, { ...UNTRACKED, ...locked });
    const recipients = reminders.map(({ recipientKind: kind, recipientId: id }) => ({ kind, id }));
    const settings = await this.timeSettings.findForRecipients(where.clinicId, recipients, true);
    const withSession = reminders.filter(({ kind, status }) => kind === 'HOMEWORK' || status === 'SKIPPED');
    const sessions = await this.sessions.findSnapshots(withSession.map(({ subjectSessionId }) => subjectSessionId));
    const changed = reminders.filter((reminder) => {
      const recipientSettings = settings.get(reminder.recipientKind, reminder.recipientId);
      const found = sessions.get(reminder.subjectSessionId);
      // An earlier release did not withdraw skipped reminders with their Session.
      if (found !== undefined && isSkippedForGood(reminder, found)) return false;
      const session = reminder.kind === 'HOMEWORK' ? found : undefined;
      if (!canStoreNewTimes(reminder, session, now, recipientSettings)) return false;
      const hasMoved =
        session !== undefined &&
        // A skipped reminder whose due time has passed in the new zone as well keeps its reason.
        (reminder.status !== 'SKIPPED' || isDueLaterInCurrentZone(reminder, session, recipientSettings, now)) &&
        reminder.reschedule(session, now, recipientSettings);
      return reminder.updateSendTime(recipientSettings, now) || hasMoved;
    });
    await bulkUpdate(this.em, Reminder, changed, { deferred: true });
    return { lastReminder: page?.length === limit ? page?.at(-1) : undefined, changed: changed.length };
  }

  private findPage(where: FilterQuery<Reminder>, limit: number): Promise<Pick<Reminder, 'dueAt' | 'id'>[]> {
    const order = { orderBy: { dueAt: 'asc', id: 'asc' }, limit } as const;
    return this.em.find(Reminder, where, { fields: ['id', 'dueAt'], ...order, ...UNTRACKED });
  }

  private get kysely() {
    return (this.em as SqlEntityManager).getKysely();
  }
}

/** Whether the Session or homework of a skipped reminder is such that no reminder is sent. */
function isSkippedForGood(reminder: Reminder, session: SessionSnapshot): boolean {
  return reminder.status === 'SKIPPED' && findWithdrawalReason(reminder, session, reminder.dueAt) !== null;
}

/**
 * `$or` conditions for reminders whose times can still change. WITHDRAWN reminders can be restored. A homework reminder
 * that was skipped because of its time can be due in the future in another zone.
 */
function toReplannableFilter(now: Temporal.Instant) {
  const skipped = { status: 'SKIPPED' as const };
  return [
    { status: { $in: ['PENDING', 'WITHDRAWN'] as const } },
    { ...skipped, reason: 'QUIET_HOURS' as const },
    {
      ...{ ...skipped, reason: { $in: [...TIME_DEPENDENT_SKIP_REASONS] } },
      ...{ homeworkId: { $ne: null }, dueAt: { $gt: now.subtract(MAX_ZONE_CHANGE) } },
    },
  ];
}

/**
 * Requests replanning for all Clinics with quiet hours, in the transaction that adopts new time zone data, because quiet
 * hours are local times of the recipients. Requires the rights of the SYSTEM actor.
 */
export async function requestReplanningOfQuietHours(em: EntityManager, now: Temporal.Instant): Promise<void> {
  await sql`
    insert into reminder_replanning (clinic_id, requested_at)
    select distinct clinic_id, ${formatInstant(now)}::timestamptz from reminder_preference
    where quiet_hours is not null`.execute((em as SqlEntityManager).getKysely());
}
