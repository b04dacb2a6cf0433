import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { formatInstant } from '../shared/persistence/index.js';
import type { ReminderStatus, StoryEntry } from './reminder.entity.js';

/** What becomes of one reminder, and the chapter of its story that says so. */
export type Outcome = {
  id: number;
  status: ReminderStatus;
  reason?: string;
  sendAt?: Temporal.Instant;
  messageId?: string;
  story: Omit<StoryEntry, 'at'>;
};

/** Writes down what has become of many reminders in one statement: the unit of work would make one of each. */
@Injectable()
export class ReminderLedger {
  constructor(private readonly em: EntityManager) {}

  /**
   * Only reminders that are still as they were found are written: what was withdrawn meanwhile stays so.
   *
   * @returns the ids of those that were
   */
  async write(from: 'PENDING' | 'QUEUED', outcomes: readonly Outcome[], now: Temporal.Instant): Promise<Set<number>> {
    if (outcomes.length === 0) return new Set();
    const at = formatInstant(now);
    const changes = outcomes.map(({ id, status, reason, sendAt, messageId, story }) => ({
      id,
      status,
      reason: reason ?? null,
      send_at: sendAt === undefined ? null : formatInstant(sendAt),
      message_id: messageId ?? null,
      story: [{ at, ...story }],
    }));
    const { rows } = await sql<{ id: string }>`
      update reminder set
        status = change.status,
        reason = change.reason,
        send_at = coalesce(change.send_at, reminder.send_at),
        message_id = coalesce(change.message_id, reminder.message_id),
        queued_at = case when change.status = 'QUEUED' then ${at}::timestamptz else reminder.queued_at end,
        settled_at = case when change.status in ('SENT', 'DEAD', 'SKIPPED') then ${at}::timestamptz end,
        story = reminder.story || change.story
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        as change (id bigint, status text, reason text, send_at timestamptz, message_id uuid, story jsonb)
      where reminder.id = change.id and reminder.status = ${from}
      returning reminder.id`.execute((this.em as SqlEntityManager).getKysely());
    return new Set(rows.map(({ id }) => Number(id)));
  }
}
