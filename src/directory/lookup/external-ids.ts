import type { EntityClass } from '@mikro-orm/core';
import { sql, type RawBuilder } from 'kysely';
import { computeDigests, type TenantEntityManager } from '../../shared/persistence/index.js';
import { Client, type CareProvider } from '../domain/person.entity.js';

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

/** Finds the IDs of people of one Clinic by their external IDs, in both forms. */
export async function findPersonIds(
  em: TenantEntityManager,
  entity: EntityClass<CareProvider | Client>,
  clinicId: number,
  externalIds: readonly string[],
): Promise<number[]> {
  const table = entity === Client ? 'client' : 'care_provider';
  const scope = sql`record.clinic_id = ${clinicId}`;
  const digests = await computeDigests(em, entity, 'externalId', clinicId, externalIds);
  return [
    ...(await findIdsByText(em, { table, column: 'external_id_digest', scope }, digests)),
    ...(await findIdsByText(em, { table, column: 'external_id', scope }, externalIds)),
  ];
}

/**
 * Finds the IDs of the records whose column has one of the texts. It joins the texts: with a list of them in the
 * condition, PostgreSQL may compare each row with each text if it has no statistics about the rows of an import.
 *
 * @param scope limits the records, which the condition calls `record`
 */
export async function findIdsByText(
  em: TenantEntityManager,
  { table, column, scope }: { table: string; column: string; scope: RawBuilder<unknown> },
  texts: readonly string[],
): Promise<number[]> {
  if (texts.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select record.id from unnest(${[...texts]}::text[]) as given (value)
    join ${sql.table(table)} as record on record.${sql.ref(column)} = given.value
    where ${scope}`.execute(em.getKysely());
  return rows.map(({ id }) => Number(id));
}
