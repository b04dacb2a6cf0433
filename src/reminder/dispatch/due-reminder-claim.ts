import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import {
  clinicIsNotMovingSql,
  executeDeferred,
  findTransactionClinicId,
  formatInstant,
  inClinicSql,
} from '../../shared/persistence/index.js';
import type { AttemptedReminder } from '../domain/attempts.js';
import type { DueReminder } from '../domain/delivery-decision.js';
import { findSentMessages, type HistoryEntry } from '../domain/reminder-history.js';
import { toRecipientKey, type RecipientKind } from '../domain/reminder-kinds.js';
import { getReminderKind, isNoticeRule, type ReminderRule } from '../domain/reminder-rule.js';

/** The limits of one transaction that claims due reminders. */
export type ClaimLimits = {
  /** The maximum number of due reminders whose recipients are claimed. */
  rows: number;
  /** The maximum number of due reminders that are read to find recipients not yet claimed by another instance. */
  scan: number;
  /** The maximum number of due reminders that are read for the claimed recipients, without the rest of their messages. */
  reminders: number;
};
/** A row returned by `claimDueReminders`. The drivers return bigint columns as strings. */
export type ClaimedReminder = {
  id: string;
  clinic_id: string;
  recipient_kind: RecipientKind;
  recipient_id: string;
  rule: ReminderRule;
  due_at_ms: number;
  send_at_ms: number;
  not_after_ms: number | null;
  redriven_at_ms: number | null;
  message_id: string | null;
  /** The trace in which the reminder was planned; null if it was not recorded. */
  traceparent: string | null;
  story: HistoryEntry[];
};

type ReminderWithMessage = ClaimedReminder & { message_id: string };

type DueReminderClaim = {
  reminders: ClaimedReminder[];
  /** The IDs of messages that are left for the next dispatch, because some of their reminders could not be claimed. */
  postponed: string[];
};

/** The condition that finds the unsent reminders of `recipient` by the index on recipients. */
const OF_RECIPIENT = sql`
  reminder.clinic_id = recipient.clinic_id and reminder.recipient_kind = recipient.recipient_kind
    and reminder.recipient_id = recipient.recipient_id and reminder.status in ('PENDING', 'QUEUED')`;

const COLUMNS = sql`
  reminder.id, reminder.clinic_id, reminder.recipient_kind, reminder.recipient_id, reminder.message_id, reminder.traceparent, reminder.rule,
  (extract(epoch from reminder.due_at) * 1000)::float8 as due_at_ms,
  (extract(epoch from reminder.send_at) * 1000)::float8 as send_at_ms,
  (extract(epoch from reminder.not_after) * 1000)::float8 as not_after_ms,
  (extract(epoch from reminder.redriven_at) * 1000)::float8 as redriven_at_ms, reminder.story`;

/**
 * Claims due reminders. A message that failed is tried again only as a whole: if an attempt had only some of its
 * reminders, receivers would drop the others as duplicates, because they have the same message ID.
 *
 * @param excluded messages that an earlier batch could not claim as a whole
 */
export async function claimDueReminders(
  em: SqlEntityManager,
  now: Temporal.Instant,
  limits: ClaimLimits,
  excluded: readonly string[],
): Promise<DueReminderClaim> {
  await planForCurrentSize(em);
  const due = await claimRecipients(em, now, limits, excluded);
  const retried = due.filter(hasMessage);
  if (retried.length === 0) return { reminders: due, postponed: [] };
  const claimed = [...due, ...(await claimOthersOfMessages(em, retried))];
  const incomplete = await findIncompleteMessages(em, claimed.filter(hasMessage));
  return {
    reminders: claimed.filter((row) => !hasMessage(row) || !incomplete.has(row.message_id)),
    postponed: [...incomplete],
  };
}

/**
 * Makes PostgreSQL plan each statement of the transaction anew. A plan that was made while the table was empty, and that
 * is used again for a large backlog, reads the whole table for each recipient.
 */
async function planForCurrentSize(em: SqlEntityManager): Promise<void> {
  await executeDeferred(em, sql`select pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', true)`);
}

/**
 * Claims the recipients of the next due reminders, and reads all reminders that are due for them. An advisory lock
 * reserves each recipient for this instance until the transaction ends, so reminders that are due together become one
 * message. Rows are locked only after their recipient: if two instances held rows for the same recipient, they would
 * send two messages. Recipients that another instance has claimed are left out.
 *
 * The rows are looked up by the index on recipients, once for each recipient. `lateral` and `is true` leave only indexes
 * that begin with the Clinic: the statistics often say that nothing is pending, and the planner would then read all
 * pending rows for each recipient, which takes longer than the time limit of a statement. An index of the Clinic's other
 * reminders is used only until the next analyze of a table that was analyzed when it was empty.
 */
async function claimRecipients(
  em: SqlEntityManager,
  now: Temporal.Instant,
  limits: ClaimLimits,
  excluded: readonly string[],
): Promise<ClaimedReminder[]> {
  const at = formatInstant(now);
  const inClinic = inClinicSql(findTransactionClinicId(em), 'reminder.clinic_id');
  const isIncluded =
    excluded.length === 0
      ? sql`true`
      : sql`(reminder.message_id is null or reminder.message_id <> all(${[...excluded]}::uuid[]))`;
  const { rows } = await sql<ClaimedReminder>`
    with due as materialized (
      select clinic_id, recipient_kind, recipient_id from reminder
      where status = 'PENDING' and send_at <= ${at}::timestamptz and ${inClinic} and ${clinicIsNotMovingSql(em)} and ${isIncluded}
      order by send_at, id limit ${limits.scan}
    ), own as materialized (
      select * from due where pg_try_advisory_xact_lock(hashtextextended(recipient_kind || recipient_id, 0))
      limit ${limits.rows}
    )
    select ${COLUMNS} from (select distinct * from own) as recipient cross join lateral (
      select * from reminder
      where ${OF_RECIPIENT} and (reminder.status = 'PENDING' and reminder.send_at <= ${at}::timestamptz) is true
        and ${inClinic} and ${isIncluded}
      limit ${limits.reminders} for update skip locked
    ) as reminder
    order by reminder.recipient_kind, reminder.recipient_id, reminder.send_at, reminder.id limit ${limits.reminders}`.execute(
    em.getKysely(),
  );
  return dropIncompleteRecipient(rows, limits.reminders);
}

/** Leaves the last recipient of a full batch for the next batch, because the recipient may have more due reminders. */
function dropIncompleteRecipient(rows: ClaimedReminder[], limit: number): ClaimedReminder[] {
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return rows;
  const complete = rows.filter((row) => getRecipientKey(row) !== getRecipientKey(last));
  return complete.length === 0 ? rows : complete;
}

/** Claims the other reminders of messages, also those that are due later or exceed the limits of the claim. */
async function claimOthersOfMessages(
  em: SqlEntityManager,
  claimed: readonly ReminderWithMessage[],
): Promise<ClaimedReminder[]> {
  const { rows } = await sql<ClaimedReminder>`
    select ${COLUMNS} ${fromOthersOfMessages(em, claimed, sql`and (reminder.status = 'PENDING') is true for update skip locked`)}`.execute(
    em.getKysely(),
  );
  return rows;
}

/** Finds the messages with unclaimed reminders, which other transactions have locked or which are being sent. */
async function findIncompleteMessages(
  em: SqlEntityManager,
  claimed: readonly ReminderWithMessage[],
): Promise<Set<string>> {
  const { rows } = await sql<{ message_id: string }>`
    select distinct reminder.message_id ${fromOthersOfMessages(em, claimed, sql`offset 0`)}`.execute(em.getKysely());
  return new Set(rows.map(({ message_id }) => message_id));
}

/**
 * Selects the unsent reminders in the messages of claimed reminders, once for each recipient, as `claimRecipients` does.
 *
 * @param rest the end of the query for one recipient; it must prevent PostgreSQL from joining the tables in another way
 */
function fromOthersOfMessages(
  em: SqlEntityManager,
  claimed: readonly ReminderWithMessage[],
  rest: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const recipients = [...new Map(claimed.map((row) => [getRecipientKey(row), row])).values()];
  const messageIds = [...new Set(claimed.map(({ message_id }) => message_id))];
  return sql`
    from unnest(${recipients.map(({ clinic_id }) => clinic_id)}::bigint[],
      ${recipients.map(({ recipient_kind }) => recipient_kind)}::text[],
      ${recipients.map(({ recipient_id }) => recipient_id)}::bigint[]
    ) as recipient (clinic_id, recipient_kind, recipient_id) cross join lateral (
      select * from reminder
      where ${OF_RECIPIENT} and reminder.message_id = any(${messageIds}::uuid[])
        and reminder.id <> all(${claimed.map(({ id }) => id)}::bigint[])
        and ${inClinicSql(findTransactionClinicId(em), 'reminder.clinic_id')} ${rest}
    ) as reminder`;
}

function hasMessage(row: ClaimedReminder): row is ReminderWithMessage {
  return row.message_id !== null;
}

export function toDueReminder(row: ClaimedReminder): DueReminder {
  const instant = (milliseconds: number) => Temporal.Instant.fromEpochMilliseconds(milliseconds);
  return {
    ...{ kind: getReminderKind(row.rule), isNotice: isNoticeRule(row.rule) },
    dueAt: instant(row.due_at_ms),
    sendAt: instant(row.send_at_ms),
    notAfter: row.not_after_ms === null ? null : instant(row.not_after_ms),
    redrivenAt: row.redriven_at_ms === null ? null : instant(row.redriven_at_ms),
  };
}

export function toAttemptedReminder(row: ClaimedReminder): AttemptedReminder {
  return { history: row.story, recipientKind: row.recipient_kind };
}

/**
 * Whether the reminder was sent for its present due time, although it is pending again. A message that told a former
 * start does not count: the start changed while it was being sent.
 */
export function wasSentForDueTime({ story: history, due_at_ms: dueAt, not_after_ms: start }: ClaimedReminder): boolean {
  const reminder = { status: 'PENDING', history, dueAt: Temporal.Instant.fromEpochMilliseconds(dueAt) } as const;
  return findSentMessages(reminder).some(
    ({ dueAt: sentFor, startsAt }) =>
      sentFor === dueAt &&
      (startsAt === undefined || start === null || Temporal.Instant.from(startsAt).epochMilliseconds === start),
  );
}

export function getRecipientKey(row: ClaimedReminder): string {
  return toRecipientKey({ kind: row.recipient_kind, id: Number(row.recipient_id) });
}
