import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { findOpenAccessIdOfCaller, getRecordId } from '../../shared/access/index.js';
import { splitIntoBatches } from '../../shared/batches.js';
import { executeDeferred, findActorClinicId, type Actor } from '../../shared/persistence/index.js';
import { encryptCaller } from './caller-encryption.js';
import { MAX_RECORDS_PER_ENTRY } from './request-records.js';

/** An audit entry to be written. The database adds the actor's Clinic and the owner of a secret link. */
export type NewAuditEntry = {
  actor: Actor;
  /** The Clinic whose audit trail gets an administrator's entry. By default, the database sets the actor's Clinic. */
  clinicId?: number;
  access: 'READ' | 'WRITE';
  operation: string;
  records: readonly string[];
  requestId: string;
  address: string;
  outcome: string;
  count: number;
};

/**
 * Writes an entry, or several if there are more than `MAX_RECORDS_PER_ENTRY` records. The statements are deferred and
 * sent with COMMIT.
 *
 * @param at time of the entry in ISO 8601 format
 */
export async function writeAuditEntry(em: EntityManager, entry: NewAuditEntry, at: string): Promise<void> {
  const { access, operation, requestId, outcome, count } = entry;
  const { role, id, subject: plainSubject } = toActorColumns(entry.actor);
  const [column, clinicId] =
    entry.clinicId === undefined ? [sql``, sql``] : [sql`clinic_id, `, sql`${entry.clinicId}, `];
  const caller = { subject: plainSubject, address: entry.address };
  const { subject, address } = await encryptCaller(
    em,
    { role, id, clinicId: findClinicId(em, entry), records: await findLinkRecords(em, entry.actor) },
    caller,
    requestId,
    outcome === 'OK',
  );
  for (const records of splitRecords(entry.records)) {
    const statement = sql`
      insert into audit_entry (${column}at, actor_role, actor_id, actor_subject, access, operation, records, record_count,
        request_id, address, outcome, count)
      values (${clinicId}${at}, ${role}, ${id}, ${subject}, ${access}, ${operation},
        ${records}::text[] || link_records(), ${entry.records.length},
        ${requestId}, ${address}, ${outcome}, ${count})`;
    await executeDeferred(em, statement);
  }
}

/** The Clinic whose audit trail gets the entry, if it is known before the database sets it. */
function findClinicId(em: EntityManager, { clinicId, actor }: NewAuditEntry): number | null {
  if (clinicId !== undefined) return clinicId;
  return 'clinicId' in actor ? (actor.clinicId ?? null) : (findActorClinicId(em, actor) ?? null);
}

/** Returns the names of a secret link's records, of which the last is its owner. The list is empty for other actors. */
async function findLinkRecords(em: EntityManager, actor: Actor): Promise<readonly string[]> {
  if (!('secretHash' in actor)) return [];
  const { rows } = await sql<{ records: string }>`
    select to_json(coalesce(link_records(), '{}'))::text as records`.execute((em as SqlEntityManager).getKysely());
  return JSON.parse(rows[0]!.records) as string[];
}

/** Splits records into parts of at most `MAX_RECORDS_PER_ENTRY`. An empty list becomes one empty part. */
function splitRecords(records: readonly string[]): (readonly string[])[] {
  return records.length === 0 ? [[]] : splitIntoBatches(records, MAX_RECORDS_PER_ENTRY);
}

function toActorColumns(actor: Actor): { role: string; id: number | null; subject: string | null } {
  if (!('subject' in actor)) return { role: actor.role, id: null, subject: null };
  // PostgreSQL cannot store NUL or lone surrogates.
  const subject = actor.subject.toWellFormed().replaceAll('\0', '\uFFFD');
  // An administrator who reads a Clinic's data is recorded as an administrator, not as that Clinic.
  if (findOpenAccessIdOfCaller(actor) !== undefined) return { role: 'ADMIN', id: null, subject };
  return { role: actor.role, id: getRecordId(actor), subject };
}
