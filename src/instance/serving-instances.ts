import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import type { Orm } from '../shared/persistence/index.js';

/** An instance that was not seen for longer than this is gone: six heartbeats. */
const EXPIRY_SECONDS = 30;

/** A process of the service that works on the database now. */
export type ServingInstance = { id: string; release: string; clockOffsetMs: number; zoneDataVersion: string };

/** The instances that serve now, by the clock of the database. None where the schema does not have the table. */
export async function findServingInstances({ em }: Pick<Orm, 'em'>): Promise<ServingInstance[]> {
  const kysely = (em.fork() as SqlEntityManager).getKysely();
  const { rows: tables } = await sql`select where to_regclass('instance') is not null`.execute(kysely);
  if (tables.length === 0) return [];
  const { rows } = await sql<ServingInstance>`
    select id, release, clock_offset_ms::float8 as "clockOffsetMs", zone_data_version as "zoneDataVersion" from instance
    where last_seen > now() - interval '1 second' * ${EXPIRY_SECONDS}
    order by started_at`.execute(kysely);
  return rows;
}
