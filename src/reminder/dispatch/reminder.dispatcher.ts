import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { Environment } from '../../shared/config/env.js';
import {
  findTransactionClinicId,
  forkForActor,
  formatInstant,
  inClinicSql,
  clinicIsNotMovingSql,
  runForEachClinicWithClaims,
} from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Tracing } from '../../shared/tracing/index.js';
import {
  toDeferredOutcome,
  toFailedOrDeadLetterOutcome,
  toSkippedOutcome,
  toSkippedOrDeadLetterOutcome,
  type DeliveryOutcome,
} from '../outcome/delivery-outcome.js';
import { DeliveryPacer } from '../delivery/delivery-pacer.js';
import { OutcomeWriter } from '../outcome/outcome-writer.js';
import { RecipientProfiles, type RecipientProfile } from '../delivery/recipient-profiles.js';
import { computeDeliveryDeadline } from '../domain/attempts.js';
import { decideDelivery, type DueReminder } from '../domain/delivery-decision.js';
import type { RecipientKind, ReminderKind } from '../domain/reminder-kinds.js';
import { ReminderMetrics } from '../metrics/reminder.metrics.js';
import { ReminderQueue, type PlanningTraces } from '../queue/reminder.queue.js';

/** The limits of one transaction that claims due reminders. */
type ClaimLimits = {
  /** The maximum number of due reminders whose recipients are claimed. */
  rows: number;
  /** The maximum number of due reminders that are read to find recipients not yet claimed by another instance. */
  scan: number;
  /** The maximum number of due reminders that are read for the claimed recipients. */
  reminders: number;
};
/** The limits while no requests are served. Larger ones would leave too little work for other instances. */
const FULL_CLAIM: ClaimLimits = { rows: 500, scan: 5_000, reminders: 2_000 };
/** The limits while requests are served. The scan must reach beyond another instance's full claim. */
const PACED_CLAIM: ClaimLimits = { rows: 25, scan: 2_000, reminders: 200 };

/** A row returned by `claimDueReminders`. The drivers return bigint columns as strings. */
type ClaimedReminder = {
  id: string;
  recipient_kind: RecipientKind;
  recipient_id: string;
  kind: ReminderKind;
  is_notice: boolean;
  due_at_ms: number;
  send_at_ms: number;
  not_after_ms: number | null;
  redriven_at_ms: number | null;
  message_id: string | null;
  /** The trace in which the reminder was planned; null if it was not recorded. */
  traceparent: string | null;
  /** Whether an attempt to deliver the reminder has failed, or a channel was too busy. */
  was_tried: boolean;
  /** The attempt number in the last history entry; 0 if the entry has none. */
  attempts: number;
};

/**
 * Finds due reminders and moves them into the queue, with one message for all due reminders of a recipient. Reminders
 * are not queued earlier, because each waiting job slows down the queue, whereas a partial index keeps the search for
 * due reminders fast.
 */
@Injectable()
export class ReminderDispatcher {
  constructor(
    private readonly em: EntityManager,
    private readonly queue: ReminderQueue,
    private readonly recipientProfiles: RecipientProfiles,
    private readonly outcomeWriter: OutcomeWriter,
    private readonly environment: Environment,
    private readonly clock: Clock,
    private readonly metrics: ReminderMetrics,
    private readonly pace: DeliveryPacer,
    private readonly tracing: Tracing,
  ) {}

  /**
   * Queues all reminders that are due now. Several instances may call this method concurrently.
   *
   * @param progress called after each batch
   * @returns the number of claimed reminders
   */
  dispatchDue(progress: () => void = () => undefined): Promise<number> {
    const condition = sql`status = 'PENDING' and send_at <= ${formatInstant(this.clock.now())}::timestamptz`;
    return runForEachClinicWithClaims(this.em, {
      actor: { role: 'REMINDERS' },
      rows: { table: 'reminder', condition },
      work: (clinicId) => this.dispatchAll(clinicId, progress),
    });
  }

  private async dispatchAll(clinicId: number | undefined, progress: () => void): Promise<number> {
    let total = 0;
    for (;;) {
      const claimed = await this.pace.run((isPaced) =>
        this.dispatchBatch(clinicId, isPaced ? PACED_CLAIM : FULL_CLAIM),
      );
      this.metrics.countDispatch();
      total += claimed;
      progress();
      if (claimed === 0) return total;
      this.queue.fetchNow();
    }
  }

  private dispatchBatch(clinicId: number | undefined, limits: ClaimLimits): Promise<number> {
    return forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(async (em) => {
      const now = this.clock.now();
      const claimed = await claimDueReminders(em as SqlEntityManager, now, limits);
      if (claimed.length === 0) return 0;
      // No span is recorded for a search without results, because there is a search every few seconds.
      const attributes = { 'scheduling.reminders': claimed.length, 'messaging.operation.name': 'send' } as const;
      await this.tracing.run({ name: 'dispatch reminders', kind: 'PRODUCER', attributes }, () =>
        this.queueClaimed(em, claimed, now),
      );
      return claimed.length;
    });
  }

  private async queueClaimed(em: EntityManager, claimed: readonly ClaimedReminder[], now: Temporal.Instant) {
    const profiles = await this.recipientProfiles.find(
      claimed.map((row) => ({ kind: row.recipient_kind, id: Number(row.recipient_id) })),
    );
    const newMessageIds = new Map<string, string>();
    const outcomes = claimed.map((row) => this.toOutcome(row, profiles.get(toRecipientKey(row)), newMessageIds, now));
    await this.outcomeWriter.write('PENDING', outcomes, now);
    const messageIds = outcomes.flatMap(({ status, messageId }) => (status === 'QUEUED' ? messageId! : []));
    const planned = this.tracing.isOn ? groupTraces(claimed, outcomes) : undefined;
    await this.queue.insert(em, [...new Set(messageIds)], planned);
  }

  /** An error counts as a failed attempt for this reminder and does not affect the rest of the batch. */
  private toOutcome(
    row: ClaimedReminder,
    recipient: RecipientProfile | undefined,
    newMessageIds: Map<string, string>,
    now: Temporal.Instant,
  ): DeliveryOutcome {
    try {
      return this.decide(row, recipient, newMessageIds, now);
    } catch (error) {
      const deadline = computeDeliveryDeadline(toDueReminder(row), this.environment.reminderMaxLateness);
      return toFailedOrDeadLetterOutcome({ id: Number(row.id), attempt: row.attempts + 1, deadline }, now, error);
    }
  }

  /** @param newMessageIds the IDs of this batch's new messages, by recipient key; an entry is added if necessary */
  private decide(
    row: ClaimedReminder,
    recipient: RecipientProfile | undefined,
    newMessageIds: Map<string, string>,
    now: Temporal.Instant,
  ): DeliveryOutcome {
    const id = Number(row.id);
    if (recipient === undefined) return toSkippedOutcome(id, 'RECIPIENT_GONE');
    const { reminderMaxLateness } = this.environment;
    const decision = decideDelivery(toDueReminder(row), recipient.preference, reminderMaxLateness, now);
    if (decision.action === 'SKIP') return toSkippedOrDeadLetterOutcome(id, decision.reason, row.was_tried);
    if (decision.action === 'DEFER') return toDeferredOutcome(id, decision.until, decision.reason);
    // A reminder that already has a message keeps it in every attempt.
    const messageId = row.message_id ?? newMessageIds.get(toRecipientKey(row)) ?? randomUUID();
    if (row.message_id === null) newMessageIds.set(toRecipientKey(row), messageId);
    return { id, status: 'QUEUED', messageId, historyEntry: { what: 'QUEUED', messageId } };
  }
}

/** @param outcomes the outcomes of the claimed reminders, in the same order */
function groupTraces(claimed: readonly ClaimedReminder[], outcomes: readonly DeliveryOutcome[]): PlanningTraces {
  const traces = new Map<string, Set<string>>();
  for (const [index, { traceparent }] of claimed.entries()) {
    const { messageId } = outcomes[index]!;
    if (traceparent === null || messageId === undefined) continue;
    traces.set(messageId, (traces.get(messageId) ?? new Set()).add(traceparent));
  }
  return traces;
}

function toDueReminder(row: ClaimedReminder): DueReminder {
  const instant = (milliseconds: number) => Temporal.Instant.fromEpochMilliseconds(milliseconds);
  return {
    ...{ kind: row.kind, isNotice: row.is_notice },
    dueAt: instant(row.due_at_ms),
    sendAt: instant(row.send_at_ms),
    notAfter: row.not_after_ms === null ? null : instant(row.not_after_ms),
    redrivenAt: row.redriven_at_ms === null ? null : instant(row.redriven_at_ms),
  };
}

function toRecipientKey(row: ClaimedReminder): string {
  return `${row.recipient_kind} ${row.recipient_id}`;
}

/**
 * Claims the recipients of the next due reminders, and reads all reminders that are due for them. An advisory lock
 * reserves each recipient for this instance until the transaction ends, so reminders that are due together become one
 * message. Rows are locked only after their recipient: if two instances held rows for the same recipient, they would
 * send two messages. Recipients that another instance has claimed are left out.
 *
 * `is true` prevents the planner from using the index on `send_at` to find a recipient's rows. After an outage, the
 * statistics do not yet reflect how many rows are due, and the lookup for each recipient would read all of them.
 */
async function claimDueReminders(
  em: SqlEntityManager,
  now: Temporal.Instant,
  limits: ClaimLimits,
): Promise<ClaimedReminder[]> {
  const at = formatInstant(now);
  const inClinic = inClinicSql(findTransactionClinicId(em), 'reminder.clinic_id');
  const { rows } = await sql<ClaimedReminder>`
    with due as materialized (
      select clinic_id, recipient_kind, recipient_id from reminder
      where status = 'PENDING' and send_at <= ${at}::timestamptz and ${inClinic} and ${clinicIsNotMovingSql(em)}
      order by send_at, id limit ${limits.scan}
    ), own as materialized (
      select * from due where pg_try_advisory_xact_lock(hashtextextended(recipient_kind || recipient_id, 0))
      limit ${limits.rows}
    )
    select reminder.id, reminder.recipient_kind, reminder.recipient_id, reminder.message_id, reminder.traceparent,
      case when reminder.rule->>'kind' = 'HOMEWORK' then 'HOMEWORK' else 'SESSION' end as kind, reminder.rule->>'kind' = 'SESSION_ERASED' as is_notice,
      (extract(epoch from reminder.due_at) * 1000)::float8 as due_at_ms,
      (extract(epoch from reminder.send_at) * 1000)::float8 as send_at_ms,
      (extract(epoch from reminder.not_after) * 1000)::float8 as not_after_ms,
      (extract(epoch from reminder.redriven_at) * 1000)::float8 as redriven_at_ms,
      reminder.message_id is not null and
        (reminder.story @> '[{"what":"FAILED"}]' or reminder.story @> '[{"reason":"CHANNEL_BUSY"}]') as was_tried,
      coalesce((reminder.story->-1->>'attempt')::int, 0) as attempts
    from reminder join (select distinct * from own) as recipient using (clinic_id, recipient_kind, recipient_id)
    where reminder.status in ('PENDING', 'QUEUED') and reminder.status = 'PENDING'
      and (reminder.send_at <= ${at}::timestamptz) is true and ${inClinic}
    order by recipient_kind, recipient_id, reminder.send_at, reminder.id limit ${limits.reminders}
    for update of reminder skip locked`.execute(em.getKysely());
  return dropIncompleteRecipient(rows, limits.reminders);
}

/** Leaves the last recipient of a full batch for the next batch, because the recipient may have more due reminders. */
function dropIncompleteRecipient(rows: ClaimedReminder[], limit: number): ClaimedReminder[] {
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return rows;
  const complete = rows.filter((row) => toRecipientKey(row) !== toRecipientKey(last));
  return complete.length === 0 ? rows : complete;
}
