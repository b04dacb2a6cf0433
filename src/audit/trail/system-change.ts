import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { splitIntoBatches } from '../../shared/batches.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { MAX_RECORDS_PER_ENTRY } from './request-records.js';

/** A change that the service makes to a Clinic's records without a request. */
type SystemChange = { clinicId: number; name: string; records: readonly string[] };

/**
 * Writes the audit entry for a change by the service. Call this in the transaction of the change, with `SYSTEM` as its
 * actor.
 */
export async function recordSystemChange(
  em: EntityManager,
  { clinicId, name, records }: SystemChange,
  now: Temporal.Instant,
): Promise<void> {
  const [at, requestId] = [formatInstant(now), randomUUID()];
  for (const batch of splitIntoBatches(records, MAX_RECORDS_PER_ENTRY)) {
    await sql`
      insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address,
        outcome)
      values (${clinicId}, ${at}, 'SYSTEM', 'WRITE', ${`system ${name}`},
        ${batch}::text[], ${records.length}, ${requestId}, ${hostname()}, 'OK')`.execute(
      (em as SqlEntityManager).getKysely(),
    );
  }
}
