import { TWO_PHASE_COMMIT_TABLES } from './distributed-tables.js';
import { isDoneQuery, TRANSACTION_ROLES, type DistributionStep } from './distribution-step.js';

/* Makes changes on the coordinator and changes to rows of a Clinic commit together. */

/** The name of the marker table and of the triggers, and the trigger function. */
const MARKER = 'coordinated_commit';
const FUNCTION = 'coordinate_commit()';

/**
 * Makes Citus commit in two phases, which it does only if a transaction changes tables in its metadata on several
 * servers. Ordinary tables of the coordinator are not in its metadata, so triggers on these tables delete from an empty
 * table that is.
 */
export function addCommitCoordinationStep(): DistributionStep {
  return {
    description: 'commit the audit trail and the rows of Clinics in two phases',
    done: isDoneQuery(`to_regprocedure('${FUNCTION}') is not null`),
    statements: [
      `create table ${MARKER} (id integer primary key)`,
      `grant select, delete on ${MARKER} to ${TRANSACTION_ROLES.join(', ')}`,
      `select citus_add_local_table_to_metadata('${MARKER}')`,
      `create function ${FUNCTION} returns trigger language plpgsql set search_path = public, pg_temp as $$
      begin
        delete from ${MARKER} where id = 0;
        return null;
      end $$`,
      ...TWO_PHASE_COMMIT_TABLES.map(
        (table) =>
          `create trigger ${MARKER} after insert or update on ${table} for each statement execute function ${FUNCTION}`,
      ),
    ],
  };
}

export function removeCommitCoordinationStep(): DistributionStep {
  return {
    description: 'remove the commit in two phases',
    done: isDoneQuery(`to_regprocedure('${FUNCTION}') is null`),
    statements: [
      ...TWO_PHASE_COMMIT_TABLES.map((table) => `drop trigger ${MARKER} on ${table}`),
      `drop function ${FUNCTION}`,
      `drop table ${MARKER}`,
    ],
  };
}
