import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { afterCommit, findTransactionClinicId, formatInstant, inClinicSql } from '../../shared/persistence/index.js';
import { ReminderMetrics } from '../metrics/reminder.metrics.js';
import type { DeliveryOutcome, SentOutcome } from './delivery-outcome.js';

/**
 * Maximum number of failed attempts in a history. Each further attempt replaces the last entry, because an outage of a
 * day causes more than a hundred attempts.
 */
const MAX_ATTEMPTS_IN_HISTORY = 8;

/**
 * Writes the outcomes of many reminders with one statement; the unit of work would send one statement per reminder. To
 * avoid deadlocks, rows are locked in ID order, as in transactions that change a series.
 */
@Injectable()
export class OutcomeWriter {
  constructor(
    private readonly em: EntityManager,
    private readonly metrics: ReminderMetrics,
  ) {}

  /**
   * Writes the outcomes of reminders that were not sent. A reminder that no longer has the status `from`, for example
   * because it was withdrawn, is not changed, nor is one that is part of another message than the one that was tried.
   * Successive CHANNEL_BUSY deferrals become one history entry with a count, because a long outage causes hundreds of
   * them.
   *
   * @returns the IDs of the changed reminders
   */
  async write(
    from: 'PENDING' | 'QUEUED',
    outcomes: readonly DeliveryOutcome[],
    now: Temporal.Instant,
  ): Promise<Set<number>> {
    if (outcomes.length === 0) return new Set();
    const at = formatInstant(now);
    const changes = outcomes.map((outcome) => toChange(outcome, at));
    const { rows } = await sql<{ id: string }>`
      with change as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
          as change (id bigint, status text, reason text, send_at timestamptz, message_id uuid, tried_message_id uuid, story jsonb)
      ), locked as materialized (${this.lockChanged(sql`reminder.status = ${from}`)})
      update reminder set
        status = change.status,
        reason = change.reason,
        send_at = coalesce(change.send_at, reminder.send_at),
        message_id = coalesce(change.message_id, reminder.message_id),
        queued_at = case when change.status = 'QUEUED' then ${at}::timestamptz else reminder.queued_at end,
        settled_at = case when change.status in ('DEAD', 'SKIPPED') then ${at}::timestamptz end,
        story = case
          when change.story->0->>'reason' = 'CHANNEL_BUSY' and reminder.story->-2->>'reason' = 'CHANNEL_BUSY'
            and reminder.story->-1->>'what' = 'QUEUED'
          then reminder.story - -1 - -1 || jsonb_set(change.story, '{0,times}',
            (coalesce((reminder.story->-2->>'times')::int, 1) + 1)::text::jsonb)
          when (change.story->0->>'attempt')::int > ${MAX_ATTEMPTS_IN_HISTORY} and reminder.story->-2->>'what' = 'FAILED'
            and reminder.story->-1->>'what' = 'QUEUED'
          then reminder.story - -1 - -1 || change.story
          else reminder.story || change.story end
      from change join locked using (id)
      where reminder.id = change.id and ${this.inClinic}
        and (change.tried_message_id is null or change.tried_message_id = reminder.message_id)
      returning reminder.id`.execute((this.em as SqlEntityManager).getKysely());
    const written = new Set(rows.map(({ id }) => Number(id)));
    this.countOutcomes(outcomes.filter(({ id }) => written.has(id)));
    return written;
  }

  /**
   * Marks reminders as SENT regardless of their current status, because the message has been sent. A reminder that no
   * longer has this message ID, for example because it was moved in the meantime, keeps its status; only a history
   * entry is added.
   */
  async writeSent(sent: readonly SentOutcome[]): Promise<void> {
    if (sent.length === 0) return;
    const changes = sent.map(({ id, messageId, sentAt, historyEntry }) => {
      const settledAt = formatInstant(sentAt);
      return { id, message_id: messageId, settled_at: settledAt, story: [{ at: settledAt, ...historyEntry }] };
    });
    const { rows } = await sql<{ id: string }>`
      with change as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
          as change (id bigint, message_id uuid, settled_at timestamptz, story jsonb)
      ), locked as materialized (${this.lockChanged(sql`reminder.status <> 'SENT'`)})
      update reminder set
        status = case when reminder.message_id = change.message_id then 'SENT' else reminder.status end,
        reason = case when reminder.message_id = change.message_id then null else reminder.reason end,
        settled_at = case when reminder.message_id = change.message_id then change.settled_at else reminder.settled_at end,
        story = reminder.story || change.story
      from change join locked using (id)
      where reminder.id = change.id and ${this.inClinic}
      returning reminder.id`.execute((this.em as SqlEntityManager).getKysely());
    const written = new Set(rows.map(({ id }) => Number(id)));
    afterCommit(this.em, () => this.countSent(sent.filter(({ id }) => written.has(id))));
  }

  /**
   * Locks the reminders in `change` that meet a condition, in ID order. `lateral` and `is true` make PostgreSQL
   * look each one up by its ID: the statistics often say that nothing is pending, and it would then compare all pending
   * reminders with each change, which takes longer than the time limit of a statement.
   */
  private lockChanged(condition: RawBuilder<unknown>): RawBuilder<unknown> {
    return sql`
      select locked.id from (select id from change order by id) as change cross join lateral (
        select reminder.id from reminder where reminder.id = change.id and (${condition}) is true and ${this.inClinic}
        limit 1 for update
      ) as locked`;
  }

  /** On a distributed database, restricts a statement to the Clinic of the transaction. */
  private get inClinic(): RawBuilder<unknown> {
    return inClinicSql(findTransactionClinicId(this.em), 'reminder.clinic_id');
  }

  /** A reminder is withdrawn here only because its message was sent, which has been counted. */
  private countOutcomes(outcomes: readonly DeliveryOutcome[]): void {
    const entries = outcomes.flatMap(({ historyEntry, busyChannel }) =>
      historyEntry === undefined ? [] : { ...(busyChannel !== undefined && { channel: busyChannel }), ...historyEntry },
    );
    afterCommit(this.em, () => this.metrics.countOutcomes(entries.filter(({ what }) => what !== 'WITHDRAWN')));
  }

  private countSent(sent: readonly SentOutcome[]): void {
    this.metrics.countOutcomes(sent.map(({ historyEntry }) => historyEntry));
    for (const { expectedAt, sentAt } of sent) this.metrics.countLateness(expectedAt, sentAt);
  }
}

function toChange(outcome: DeliveryOutcome, at: string) {
  const { id, status, reason, sendAt, messageId, triedMessageId, historyEntry } = outcome;
  return {
    id,
    status,
    reason: reason ?? null,
    send_at: sendAt === undefined ? null : formatInstant(sendAt),
    message_id: messageId ?? null,
    tried_message_id: triedMessageId ?? null,
    story: historyEntry === undefined ? [] : [{ at, ...historyEntry }],
  };
}
