import { PgBoss } from 'pg-boss';
import type { DatabaseEnvironment } from '../../shared/config/env.js';
import { executeGrants, type Orm } from '../../shared/persistence/index.js';
import { createQueues, queueConnection } from './reminder.queue.js';

/** Whoever may use the queue: the service's own connections to it, and the dispatch, which fills it. */
const USERS = 'scheduling_app, scheduling_reminders';

/** Installs or upgrades the tables of the queue, as the owner of the database. */
export async function installQueue(orm: Orm, database: DatabaseEnvironment): Promise<void> {
  const owner = database.kind === 'postgresql' ? { ...database, url: database.migrationUrl } : database;
  const boss = new PgBoss({ ...(await queueConnection(orm.em, owner)), schedule: false, supervise: false });
  await boss.start();
  await createQueues(boss);
  await boss.stop({ graceful: false, close: database.kind === 'postgresql' });
  await executeGrants(orm, [
    `grant usage on schema pgboss to ${USERS}`,
    `grant select, insert, update, delete on all tables in schema pgboss to ${USERS}`,
    `grant usage on all sequences in schema pgboss to ${USERS}`,
    `grant execute on all functions in schema pgboss to ${USERS}`,
    // Metrics read how many jobs there are, and no job.
    `grant usage on schema pgboss to scheduling_monitoring`,
    `grant select on pgboss.queue to scheduling_monitoring`,
  ]);
}
