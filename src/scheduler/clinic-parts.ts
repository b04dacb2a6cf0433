import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql, type RawBuilder } from 'kysely';
import {
  ALL_CLINICS,
  Distribution,
  forkForActor,
  inClinicGroupSql,
  isUnreachableServerError,
  isStatementTimeout,
  type Actor,
  type ClinicGroup,
} from '../shared/persistence/index.js';
import { logPartFailure } from './independent-parts.js';
import { JobStoppedError } from './job.js';

/*
 * Divides the work of jobs that serve all Clinics. On one server, the statements of a job process all Clinics at once.
 * On a distributed database, the work is divided by server or by Clinic, so that a server that does not answer stops
 * only the work for its own Clinics, and because a statement can lock only rows of a single Clinic.
 */

/** Maximum number of Clinics that one query finds. */
const MAX_FOUND = 1_000;

/** Adds the failure of a part, which does not prevent the other parts. */
type AddFailure = (part: string, error: unknown) => void;
type GroupWork = (group: ClinicGroup, addFailure: AddFailure) => Promise<number>;

/**
 * Runs work once for the Clinics of each server, or once for all Clinics if there is only one server. If it fails for
 * some servers, it still runs for the Clinics of the other servers.
 *
 * @param name names the work in the log
 * @returns the sum of the results
 * @throws the first error after the last server. Servers that do not answer cause an error only if none answers
 */
export async function runForEachClinicGroup(em: EntityManager, name: string, work: GroupWork): Promise<number> {
  const distribution = Distribution.of(em.config);
  const failures: unknown[] = [];
  const addFailure: AddFailure = (part, error) => {
    logPartFailure(`${name} of ${part}`, error);
    failures.push(error);
  };
  if (!distribution.isDistributed) return work(ALL_CLINICS, addFailure);
  const servers = await distribution.listServerClinics(em);
  const unreachable: unknown[] = [];
  let total = 0;
  for (const group of servers) {
    try {
      distribution.unreachable.require(group.server);
      total += await work(group, addFailure);
    } catch (error) {
      if (error instanceof JobStoppedError) throw error;
      const isUnreachable = isUnreachableServerError(error);
      if (isUnreachable || isStatementTimeout(error)) await distribution.unreachable.check();
      // The connection was closed because it waited for a server that does not answer.
      if (isUnreachable || distribution.unreachable.has(group.server)) unreachable.push(error);
      else addFailure(group.server, error);
    }
  }
  if (failures.length > 0) throw failures[0];
  if (unreachable.length > 0 && unreachable.length === servers.length) throw unreachable.at(-1);
  return total;
}

/** Work that claims rows and processes them. */
export type ClaimingWork = {
  /** Names the work in the log. */
  name: string;
  actor: Actor;
  /** The table and the condition of the rows to claim. They are also used to find the Clinics with such rows. */
  rows: { table: string; condition: RawBuilder<unknown> };
  /** Claims and processes the rows of one Clinic, or of all Clinics if it is undefined. */
  work: (clinicId: number | undefined) => Promise<number>;
};

/**
 * Runs work once for all Clinics or, on a distributed database, once for each Clinic with rows to claim. If it fails for
 * some Clinics, it still runs for the others.
 *
 * @returns the sum of the results
 * @throws the first error, after the last Clinic
 */
export function runForEachClinicWithClaims(em: EntityManager, claiming: ClaimingWork): Promise<number> {
  if (!Distribution.of(em.config).isDistributed) return claiming.work(undefined);
  return runForEachClinicGroup(em, claiming.name, (group, addFailure) =>
    runForEachClinic(em, claiming, group, addFailure),
  );
}

async function runForEachClinic(
  em: EntityManager,
  claiming: ClaimingWork,
  group: ClinicGroup,
  addFailure: AddFailure,
): Promise<number> {
  const { unreachable } = Distribution.of(em.config);
  let total = 0;
  for (let lastId: number | undefined = 0; lastId !== undefined;) {
    const clinicIds: number[] = await findClinics(em, claiming, group, lastId);
    for (const clinicId of clinicIds) {
      try {
        total += await claiming.work(clinicId);
      } catch (error) {
        if (error instanceof JobStoppedError || isUnreachableServerError(error)) throw error;
        if (unreachable.hasClinic(clinicId)) throw error;
        addFailure(`Clinic ${clinicId}`, error);
        // Fails if the server does not answer in time. The work for its other Clinics would fail as well, and take long.
        await findClinics(em, claiming, group, clinicId);
      }
    }
    lastId = clinicIds.length < MAX_FOUND ? undefined : clinicIds.at(-1);
  }
  return total;
}

function findClinics(
  em: EntityManager,
  { actor, rows: { table, condition } }: ClaimingWork,
  group: ClinicGroup,
  afterId: number,
): Promise<number[]> {
  return forkForActor(em, actor).transactional(async (transaction) => {
    const { rows } = await sql<{ clinic_id: string }>`
      select distinct clinic_id from ${sql.table(table)}
      where ${condition} and ${inClinicGroupSql(group)} and clinic_id > ${afterId}
      order by clinic_id limit ${MAX_FOUND}`.execute((transaction as SqlEntityManager).getKysely());
    return rows.map(({ clinic_id }) => Number(clinic_id));
  });
}
