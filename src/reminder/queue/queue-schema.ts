import { PgBoss } from 'pg-boss';
import type { DatabaseEnvironment } from '../../shared/config/env.js';
import { executeGrants, type Orm } from '../../shared/persistence/index.js';
import { DEAD_LETTER_QUEUE_NAME, REMINDER_QUEUE_NAMES } from './queue-names.js';
import { createQueueConnectionOptions } from './reminder.queue.js';

/** The database roles of the queue's own connections and of the dispatcher, which fills the queue. */
const QUEUE_ROLES = 'scheduling_app, scheduling_app_reminders, scheduling_reminders';

/** Installs or upgrades the pg-boss tables. Connects as the database owner. */
export async function installQueueSchema(orm: Orm, database: DatabaseEnvironment): Promise<void> {
  const owner = database.kind === 'postgresql' ? { ...database, url: database.migrationUrl } : database;
  const boss = new PgBoss({
    ...(await createQueueConnectionOptions(orm.em, owner)),
    schedule: false,
    supervise: false,
  });
  await boss.start();
  await createReminderQueues(boss);
  await boss.stop({ graceful: false, close: database.kind === 'postgresql' });
  await executeGrants(orm, [
    `grant usage on schema pgboss to ${QUEUE_ROLES}`,
    `grant select, insert, update, delete on all tables in schema pgboss to ${QUEUE_ROLES}`,
    `grant usage on all sequences in schema pgboss to ${QUEUE_ROLES}`,
    `grant execute on all functions in schema pgboss to ${QUEUE_ROLES}`,
    // An erasure deletes the jobs of messages whose reminders it erases.
    `grant usage on schema pgboss to scheduling_system`,
    `grant select, delete on pgboss.job to scheduling_system`,
    // The metrics need only job counts, not the jobs themselves.
    `grant usage on schema pgboss to scheduling_monitoring`,
    `grant select on pgboss.queue to scheduling_monitoring`,
  ]);
}

/** Creates only the queues that are missing, because pg-boss runs its DDL also for a queue that exists. */
async function createReminderQueues(boss: PgBoss): Promise<void> {
  const existing = new Set((await boss.getQueues()).map(({ name }) => name));
  if (!existing.has(DEAD_LETTER_QUEUE_NAME)) await boss.createQueue(DEAD_LETTER_QUEUE_NAME);
  const options = {
    deadLetter: DEAD_LETTER_QUEUE_NAME,
    heartbeatSeconds: 15,
    retryLimit: 8,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 3_600,
    deleteAfterSeconds: 3_600,
  };
  for (const name of REMINDER_QUEUE_NAMES) if (!existing.has(name)) await boss.createQueue(name, options);
}
