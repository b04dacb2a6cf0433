import type { EntityClass } from '@mikro-orm/core';
import { sql, type RawBuilder } from 'kysely';
import { computeDigests, isUnreadableText, type TenantEntityManager } from '../../shared/persistence/index.js';
import { Client, type CareProvider } from '../domain/person.entity.js';

/** A record, and the external ID by which it was found. */
export type FoundRecord = { id: number; externalId: string };

/** The condition that finds people of one Clinic by their external IDs. */
export type ExternalIdFilter = {
  clinicId: number;
  $or: [{ externalIdDigest: { $in: string[] } }, { externalId: { $in: string[] } }];
};

/** Builds the condition for both forms of an external ID: its digest, and the plain text of rows not yet encrypted. */
export async function buildExternalIdFilter(
  em: TenantEntityManager,
  entity: EntityClass<CareProvider | Client>,
  clinicId: number,
  externalIds: readonly string[],
): Promise<ExternalIdFilter> {
  const digests = await computeDigests(em, entity, 'externalId', clinicId, externalIds);
  return { clinicId, $or: [{ externalIdDigest: { $in: digests } }, { externalId: { $in: [...externalIds] } }] };
}

/** Finds people of one Clinic by their external IDs, in both forms. */
export async function findPeople(
  em: TenantEntityManager,
  entity: EntityClass<CareProvider | Client>,
  clinicId: number,
  externalIds: readonly string[],
): Promise<FoundRecord[]> {
  const table = entity === Client ? 'client' : 'care_provider';
  const scope = sql`record.clinic_id = ${clinicId}`;
  const digests = await computeDigests(em, entity, 'externalId', clinicId, externalIds);
  const ofDigests = new Map(digests.map((digest, index) => [digest, externalIds[index]!]));
  const found = await findByText(em, { table, column: 'external_id_digest', scope }, digests);
  return [
    ...found.map(({ id, externalId: digest }) => ({ id, externalId: ofDigests.get(digest)! })),
    ...(await findByText(em, { table, column: 'external_id', scope }, externalIds)),
  ];
}

/**
 * Indexes records by their external IDs. One that cannot be decrypted is replaced by the one by which the record was
 * found.
 */
export function indexByExternalId<Row extends { id: number; externalId: string | null }>(
  rows: readonly Row[],
  found: readonly FoundRecord[],
): Map<string, Row> {
  const given = new Map(found.map(({ id, externalId }) => [id, externalId]));
  return new Map(
    rows.flatMap((row): [string, Row][] => {
      const externalId = isUnreadableText(row.externalId) ? given.get(row.id) : row.externalId;
      return externalId == null ? [] : [[externalId, row]];
    }),
  );
}

/**
 * Finds the records whose column has one of the texts. It joins the texts: with a list of them in the
 * condition, PostgreSQL may compare each row with each text if it has no statistics about the rows of an import.
 *
 * @param scope limits the records, which the condition calls `record`
 */
export async function findByText(
  em: TenantEntityManager,
  { table, column, scope }: { table: string; column: string; scope: RawBuilder<unknown> },
  texts: readonly string[],
): Promise<FoundRecord[]> {
  if (texts.length === 0) return [];
  const { rows } = await sql<{ id: string; value: string }>`
    select record.id, given.value from unnest(${[...texts]}::text[]) as given (value)
    join ${sql.table(table)} as record on record.${sql.ref(column)} = given.value
    where ${scope}`.execute(em.getKysely());
  return rows.map(({ id, value: externalId }) => ({ id: Number(id), externalId }));
}
