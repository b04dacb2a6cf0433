import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import type { Orm } from '../shared/persistence/index.js';

/** An instance is considered ended after this long without a heartbeat. Heartbeats are sent every 5 seconds. */
const EXPIRY_SECONDS = 30;

/** A running instance of the service. */
type RunningInstance = { id: string; release: string; clockOffsetMs: number; zoneDataVersion: string };

/**
 * Finds the running instances: those whose heartbeat is recent by the clock of the database. Returns an empty list if
 * the table does not exist yet.
 */
export async function findRunningInstances({ em }: Pick<Orm, 'em'>): Promise<RunningInstance[]> {
  const kysely = (em.fork() as SqlEntityManager).getKysely();
  const { rows: tables } = await sql`select where to_regclass('instance') is not null`.execute(kysely);
  if (tables.length === 0) return [];
  const { rows } = await sql<RunningInstance>`
    select id, release, clock_offset_ms::float8 as "clockOffsetMs", zone_data_version as "zoneDataVersion" from instance
    where last_seen > now() - interval '1 second' * ${EXPIRY_SECONDS}
    order by started_at`.execute(kysely);
  return rows;
}
