import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { afterCommit, formatInstant } from '../../shared/persistence/index.js';
import type { ReminderStatus } from '../domain/reminder-status.js';
import { ReminderMetrics } from '../metrics/reminder.metrics.js';
import type { HistoryEntry } from '../domain/reminder-history.js';

/** What becomes of one reminder, and the chapter of its story that says so. */
export type DeliveryOutcome = {
  id: number;
  status: Exclude<ReminderStatus, 'SENT'>;
  reason?: string;
  sendAt?: Temporal.Instant;
  messageId?: string;
  story: Omit<HistoryEntry, 'at'>;
};

/** A reminder whose message a channel has taken, and when. */
export type Sent = {
  id: number;
  messageId: string;
  at: Temporal.Instant;
  /** When it was to be sent: when it was due, or later where quiet hours held it back. */
  expectedAt: Temporal.Instant;
  story: Omit<HistoryEntry, 'at'> & { what: 'SENT' };
};

/** So many failed attempts a story tells: a further one takes the place of the last, as an outage of a day has a hundred. */
const ATTEMPTS_TOLD = 8;

/**
 * Writes down what has become of many reminders in one statement: the unit of work would make one of each. Rows
 * are locked in the order of their ids, as whoever cancels a series does, so that neither is a deadlock's victim.
 */
@Injectable()
export class DeliveryOutcomes {
  constructor(
    private readonly em: EntityManager,
    private readonly metrics: ReminderMetrics,
  ) {}

  /**
   * Only reminders that are still as they were found are written: what was withdrawn meanwhile stays so. Of the
   * pauses of a channel, a story tells the last and how many there were: an outage of hours has thousands. Of many
   * failed attempts it tells the first ones and the last, which has its number.
   *
   * @returns the ids of those that were written
   */
  async write(
    from: 'PENDING' | 'QUEUED',
    outcomes: readonly DeliveryOutcome[],
    now: Temporal.Instant,
  ): Promise<Set<number>> {
    if (outcomes.length === 0) return new Set();
    const at = formatInstant(now);
    const changes = outcomes.map((outcome) => changeOf(outcome, at));
    const { rows } = await sql<{ id: string }>`
      with change as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
          as change (id bigint, status text, reason text, send_at timestamptz, message_id uuid, story jsonb)
      ), locked as materialized (
        select id from reminder where id in (select id from change) and status = ${from} order by id for update
      )
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
            to_jsonb(coalesce((reminder.story->-2->>'times')::int, 1) + 1))
          when (change.story->0->>'attempt')::int > ${ATTEMPTS_TOLD} and reminder.story->-2->>'what' = 'FAILED'
            and reminder.story->-1->>'what' = 'QUEUED'
          then reminder.story - -1 - -1 || change.story
          else reminder.story || change.story end
      from change join locked using (id)
      where reminder.id = change.id and reminder.status = ${from}
      returning reminder.id`.execute((this.em as SqlEntityManager).getKysely());
    const written = new Set(rows.map(({ id }) => Number(id)));
    const stories = outcomes.filter(({ id }) => written.has(id)).map(({ story }) => story);
    afterCommit(this.em, () => this.metrics.countOutcomes(stories));
    return written;
  }

  /**
   * What has left has left, whatever became of the reminder in that moment: it is SENT as long as the message is
   * its own. After a move it waits for its new time with a message of its own; then its story alone tells.
   */
  async writeSent(sent: readonly Sent[]): Promise<void> {
    if (sent.length === 0) return;
    const changes = sent.map(({ id, messageId, at, story }) => {
      const settledAt = formatInstant(at);
      return { id, message_id: messageId, settled_at: settledAt, story: [{ at: settledAt, ...story }] };
    });
    const { rows } = await sql<{ id: string }>`
      with change as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
          as change (id bigint, message_id uuid, settled_at timestamptz, story jsonb)
      ), locked as materialized (
        select id from reminder where id in (select id from change) and status <> 'SENT' order by id for update
      )
      update reminder set
        status = case when reminder.message_id = change.message_id then 'SENT' else reminder.status end,
        reason = case when reminder.message_id = change.message_id then null else reminder.reason end,
        settled_at = case when reminder.message_id = change.message_id then change.settled_at else reminder.settled_at end,
        story = reminder.story || change.story
      from change join locked using (id)
      where reminder.id = change.id and reminder.status <> 'SENT'
      returning reminder.id`.execute((this.em as SqlEntityManager).getKysely());
    const written = new Set(rows.map(({ id }) => Number(id)));
    afterCommit(this.em, () => this.countSent(sent.filter(({ id }) => written.has(id))));
  }

  private countSent(sent: readonly Sent[]): void {
    this.metrics.countOutcomes(sent.map(({ story }) => story));
    for (const { expectedAt, at } of sent) this.metrics.countLateness(expectedAt, at);
  }
}

function changeOf({ id, status, reason, sendAt, messageId, story }: DeliveryOutcome, at: string) {
  return {
    id,
    status,
    reason: reason ?? null,
    send_at: sendAt === undefined ? null : formatInstant(sendAt),
    message_id: messageId ?? null,
    story: [{ at, ...story }],
  };
}
