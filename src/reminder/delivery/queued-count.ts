import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { forkForActor, inClinicSql } from '../../shared/persistence/index.js';

/**
 * Counts the QUEUED reminders of each message, in the order of `messageIds`.
 *
 * @param clinicId the Clinic of all these messages on a distributed database; undefined otherwise
 */
export function countQueuedReminders(
  em: EntityManager,
  messageIds: readonly string[],
  clinicId: number | undefined,
): Promise<number[]> {
  return forkForActor(em, { role: 'REMINDERS', clinicId }).transactional(async (transaction) => {
    const { rows } = await sql<{ message_id: string; queued: number }>`
      select message_id, count(*)::int as queued from reminder
      where message_id = any(${[...messageIds]}::uuid[]) and status = 'QUEUED' and ${inClinicSql(clinicId)}
      group by message_id`.execute((transaction as SqlEntityManager).getKysely());
    const counts = new Map(rows.map((row) => [row.message_id, row.queued]));
    return messageIds.map((messageId) => counts.get(messageId) ?? 0);
  });
}
