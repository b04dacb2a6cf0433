import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql, type RawBuilder } from 'kysely';
import type { Actor } from '../tenancy/actor.js';
import { forkForActor } from '../tenancy/database-session.js';
import { Distribution, isUnreachableServerError } from './distribution.js';

/*
 * Divides the work of jobs that serve all Clinics. On one server, the statements of a job process all Clinics at once.
 * On a distributed database, the work is divided by server or by Clinic, so that a server that does not answer stops
 * only the work for its own Clinics, and because a statement can lock only rows of a single Clinic.
 */

/** The Clinics whose rows are on one server; `clinicIds` is undefined for all Clinics. */
export type ClinicGroup = { clinicIds: readonly number[] | undefined };

const ALL_CLINICS: ClinicGroup = { clinicIds: undefined };
/** Maximum number of Clinics that one query finds. Later runs find the remaining Clinics. */
const MAX_FOUND = 1_000;

/** Returns the SQL condition that a row belongs to a Clinic in the group. */
export function inClinicGroupSql({ clinicIds }: ClinicGroup, column = 'clinic_id'): RawBuilder<unknown> {
  return clinicIds === undefined ? sql`true` : sql`${sql.ref(column)} = any(${[...clinicIds]}::bigint[])`;
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

/**
 * Runs work once for the Clinics of each server, or once for all Clinics if there is only one server. If some servers
 * do not answer, the work still runs for the Clinics of the other servers.
 *
 * @returns the sum of the results
 * @throws the last error if no server answers
 */
export async function runForEachClinicGroup(
  em: EntityManager,
  work: (group: ClinicGroup) => Promise<number>,
): Promise<number> {
  const distribution = Distribution.of(em.config);
  if (!distribution.isDistributed) return work(ALL_CLINICS);
  const servers = await distribution.listServerClinics(em);
  let total = 0;
  let failure: unknown;
  let failed = 0;
  for (const group of servers) {
    try {
      total += await work(group);
      distribution.unreachable.delete(group.server);
    } catch (error) {
      if (!isUnreachableServerError(error)) throw error;
      distribution.unreachable.add(group.server);
      failure = error;
      failed += 1;
    }
  }
  if (failed > 0 && failed === servers.length) throw failure;
  return total;
}

/** Work that claims rows and processes them. */
export type ClaimingWork = {
  actor: Actor;
  /** The table and the condition of the rows to claim. They are also used to find the Clinics with such rows. */
  rows: { table: string; condition: RawBuilder<unknown> };
  /** Claims and processes the rows of one Clinic, or of all Clinics if it is undefined. */
  work: (clinicId: number | undefined) => Promise<number>;
};

/**
 * Runs work once for all Clinics or, on a distributed database, once for each Clinic with rows to claim.
 *
 * @returns the sum of the results
 */
export async function runForEachClinicWithClaims(
  em: EntityManager,
  { actor, rows, work }: ClaimingWork,
): Promise<number> {
  if (!Distribution.of(em.config).isDistributed) return work(undefined);
  return runForEachClinicGroup(em, async (group) => {
    let total = 0;
    for (const clinicId of await findClinics(em, actor, rows, group)) total += await work(clinicId);
    return total;
  });
}

function findClinics(
  em: EntityManager,
  actor: Actor,
  { table, condition }: ClaimingWork['rows'],
  group: ClinicGroup,
): Promise<number[]> {
  return forkForActor(em, actor).transactional(async (transaction) => {
    const { rows } = await sql<{ clinic_id: string }>`
      select distinct clinic_id from ${sql.table(table)} where ${condition} and ${inClinicGroupSql(group)}
      order by clinic_id limit ${MAX_FOUND}`.execute((transaction as SqlEntityManager).getKysely());
    return rows.map(({ clinic_id }) => Number(clinic_id));
  });
}
