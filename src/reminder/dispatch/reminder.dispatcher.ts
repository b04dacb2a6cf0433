import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { Environment } from '../../shared/config/env.js';
import { forkForActor, formatInstant } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { latestOf } from '../domain/attempts.js';
import { deferred, notSent, skipped, undecidable } from '../delivery/delivery-outcome.js';
import { Recipients, type Addressee } from '../delivery/recipient-profiles.js';
import { DeliveryOutcomes, type DeliveryOutcome } from '../delivery/outcome-writer.js';
import type { RecipientKind } from '../domain/reminder-rule.js';
import { ReminderMetrics } from '../metrics/reminder.metrics.js';
import { ReminderQueue } from '../queue/reminder.queue.js';
import { decideDelivery, type DueReminder, type ReminderKind } from '../domain/delivery-decision.js';

/** Due reminders whose recipients one transaction claims: enough to drain fast, few enough to share between instances. */
const CLAIM_BATCH = 500;
/** How far it looks for recipients whom no other instance has. */
const CLAIM_SIGHT = 5_000;
/** Reminders of one transaction at most. */
const CLAIM_MOST = 2_000;

/** A row that was claimed; the drivers give bigints as text. */
type Claimed = {
  id: string;
  recipient_kind: RecipientKind;
  recipient_id: string;
  kind: ReminderKind;
  due_at_ms: number;
  send_at_ms: number;
  not_after_ms: number | null;
  redriven_at_ms: number | null;
  message_id: string | null;
  /** Whether a channel was asked to take it since its message was made, and how often it has failed. */
  was_tried: boolean;
  attempts: number;
};

/**
 * Finds reminders that are due and hands them to the queue, all of one recipient as one message. Far-future
 * reminders never enter the queue: its fetch gets slower with every job that waits in it, ours does not
 * (partial index).
 */
@Injectable()
export class ReminderDispatcher {
  constructor(
    private readonly em: EntityManager,
    private readonly queue: ReminderQueue,
    private readonly recipients: Recipients,
    private readonly ledger: DeliveryOutcomes,
    private readonly environment: Environment,
    private readonly clock: Clock,
    private readonly metrics: ReminderMetrics,
  ) {}

  /**
   * Hands over all that is due now and returns how many reminders. Any number of instances may do so at once.
   *
   * @param progress is called after every batch
   */
  async dispatchDue(progress: () => void = () => undefined): Promise<number> {
    let total = 0;
    for (;;) {
      const claimed = await this.claimBatch();
      this.metrics.countDispatch();
      total += claimed;
      progress();
      if (claimed === 0) return total;
      this.queue.wake();
    }
  }

  private claimBatch(): Promise<number> {
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      const now = this.clock.now();
      const claimed = await claimDue(em as SqlEntityManager, now);
      if (claimed.length === 0) return 0;
      const people = claimed.map((row) => ({ kind: row.recipient_kind, id: Number(row.recipient_id) }));
      const addressees = await this.recipients.find(people);
      const messages = new Map<string, string>();
      const outcomes = claimed.map((row) => this.outcomeOf(row, addressees.get(keyOf(row)), messages, now));
      await this.ledger.write('PENDING', outcomes, now);
      const messageIds = outcomes.flatMap(({ status, messageId }) => (status === 'QUEUED' ? messageId! : []));
      await this.queue.insert(em, [...new Set(messageIds)]);
      return claimed.length;
    });
  }

  private outcomeOf(
    row: Claimed,
    addressee: Addressee | undefined,
    messages: Map<string, string>,
    now: Temporal.Instant,
  ): DeliveryOutcome {
    try {
      return this.decide(row, addressee, messages, now);
    } catch (error) {
      // Of one recipient, whatever it is: the others of the batch are not to wait for it.
      const latest = latestOf(dueReminderOf(row), this.environment.reminderMaxLateness);
      return undecidable({ id: Number(row.id), attempt: row.attempts + 1, latest }, now, error);
    }
  }

  private decide(
    row: Claimed,
    addressee: Addressee | undefined,
    messages: Map<string, string>,
    now: Temporal.Instant,
  ): DeliveryOutcome {
    const id = Number(row.id);
    if (addressee === undefined) return skipped(id, 'RECIPIENT_GONE');
    const { reminderMaxLateness } = this.environment;
    const sending = decideDelivery(dueReminderOf(row), addressee.preference, reminderMaxLateness, now);
    if (sending.what === 'SKIP') return notSent(id, sending.reason, row.was_tried);
    if (sending.what === 'DEFER') return deferred(id, sending.until, sending.reason);
    // What has gone out with a message before goes out with the same one again.
    const messageId = row.message_id ?? messages.get(keyOf(row)) ?? randomUUID();
    if (row.message_id === null) messages.set(keyOf(row), messageId);
    return { id, status: 'QUEUED', messageId, story: { what: 'QUEUED', messageId } };
  }
}

function dueReminderOf(row: Claimed): DueReminder {
  const instant = (milliseconds: number) => Temporal.Instant.fromEpochMilliseconds(milliseconds);
  return {
    kind: row.kind,
    dueAt: instant(row.due_at_ms),
    sendAt: instant(row.send_at_ms),
    notAfter: row.not_after_ms === null ? null : instant(row.not_after_ms),
    redrivenAt: row.redriven_at_ms === null ? null : instant(row.redriven_at_ms),
  };
}

function keyOf(row: Claimed): string {
  return `${row.recipient_kind} ${row.recipient_id}`;
}

/**
 * The recipients of the next due reminders, with all that is due for them. The advisory lock makes a recipient
 * one instance's own until it commits, so that what falls due together becomes one message; who is another's is
 * left to it. No row is locked before its recipient is: two instances that have some rows each would send two.
 *
 * `is true` keeps the index by time out of the look-up by recipient. After an outage PostgreSQL does not know yet that
 * much is due, and would read all of it again for each of the 500: 1.2 s a batch instead of 8 ms, at 60,000 due.
 */
async function claimDue(em: SqlEntityManager, now: Temporal.Instant): Promise<Claimed[]> {
  const at = formatInstant(now);
  const { rows } = await sql<Claimed>`
    with due as materialized (
      select clinic_id, recipient_kind, recipient_id from reminder
      where status = 'PENDING' and send_at <= ${at}::timestamptz
      order by send_at, id limit ${CLAIM_SIGHT}
    ), own as materialized (
      select * from due where pg_try_advisory_xact_lock(hashtextextended(recipient_kind || recipient_id, 0))
      limit ${CLAIM_BATCH}
    )
    select reminder.id, reminder.recipient_kind, reminder.recipient_id, reminder.message_id,
      case when reminder.rule->>'kind' = 'HOMEWORK' then 'HOMEWORK' else 'SESSION' end as kind,
      (extract(epoch from reminder.due_at) * 1000)::float8 as due_at_ms,
      (extract(epoch from reminder.send_at) * 1000)::float8 as send_at_ms,
      (extract(epoch from reminder.not_after) * 1000)::float8 as not_after_ms,
      (extract(epoch from reminder.redriven_at) * 1000)::float8 as redriven_at_ms,
      reminder.message_id is not null and
        (reminder.story @> '[{"what":"FAILED"}]' or reminder.story @> '[{"reason":"CHANNEL_BUSY"}]') as was_tried,
      coalesce((reminder.story->-1->>'attempt')::int, 0) as attempts
    from reminder join (select distinct * from own) as recipient using (clinic_id, recipient_kind, recipient_id)
    where reminder.status in ('PENDING', 'QUEUED') and reminder.status = 'PENDING'
      and (reminder.send_at <= ${at}::timestamptz) is true
    order by recipient_kind, recipient_id, reminder.send_at, reminder.id limit ${CLAIM_MOST}
    for update of reminder skip locked`.execute(em.getKysely());
  return withoutCut(rows);
}

/** The last recipient of a full batch may have more than came: they are whole in the next one. */
function withoutCut(rows: Claimed[]): Claimed[] {
  const last = rows.at(-1);
  if (last === undefined || rows.length < CLAIM_MOST) return rows;
  const whole = rows.filter((row) => keyOf(row) !== keyOf(last));
  return whole.length === 0 ? rows : whole;
}
