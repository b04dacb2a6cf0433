import type { EntityManager } from '@mikro-orm/core';
import { sql, type RawBuilder } from 'kysely';
import { Distribution } from './distribution.js';

/* Conditions that restrict a statement of a job to Clinics (`src/scheduler/clinic-parts.ts`). */

/** The Clinics whose rows are on one server; `clinicIds` is undefined for all Clinics. */
export type ClinicGroup = { clinicIds: readonly number[] | undefined };

export const ALL_CLINICS: ClinicGroup = { clinicIds: undefined };

/** Returns the SQL condition that a row belongs to a Clinic in the group. */
export function inClinicGroupSql({ clinicIds }: ClinicGroup): RawBuilder<unknown> {
  return clinicIds === undefined ? sql`true` : sql`clinic_id = any(${[...clinicIds]}::bigint[])`;
}

/**
 * Returns the SQL condition that a row belongs to the Clinic. If `clinicId` is undefined, as on one server, the
 * condition is always true.
 */
export function inClinicSql(clinicId: number | undefined, column = 'clinic_id'): RawBuilder<unknown> {
  return clinicId === undefined ? sql`true` : sql`${sql.ref(column)} = ${clinicId}`;
}

/**
 * Returns the SQL condition that the Clinic of a row is not being moved to another installation. Clinics of a
 * distributed database cannot be moved.
 */
export function clinicIsNotMovingSql(em: EntityManager): RawBuilder<unknown> {
  return Distribution.of(em.config).isDistributed
    ? sql`true`
    : sql`clinic_id <> all (array(select clinic_id from clinic_move))`;
}
