import { COORDINATED_TABLES } from './distributed-tables.js';
import { done, ROLES, type DistributionStep } from './distribution-step.js';

/* How rows of the coordinator and rows of a Clinic are committed together. */

/** The table of the marker, and its trigger function. */
const MARKER = 'coordinated_commit';
const FUNCTION = 'coordinate_commit()';

/**
 * Citus commits in two phases only if a transaction changes tables that Citus knows on several servers, and it does not
 * know ordinary tables of the coordinator. So their triggers delete from an empty table that it knows.
 */
export function coordinateCommits(): DistributionStep {
  return {
    description: 'commit the audit trail and the rows of Clinics in two phases',
    done: done(`to_regprocedure('${FUNCTION}') is not null`),
    statements: [
      `create table ${MARKER} (id integer primary key)`,
      `grant select, delete on ${MARKER} to ${ROLES.join(', ')}`,
      `select citus_add_local_table_to_metadata('${MARKER}')`,
      `create function ${FUNCTION} returns trigger language plpgsql set search_path = public, pg_temp as $$
      begin
        delete from ${MARKER} where id = 0;
        return null;
      end $$`,
      ...COORDINATED_TABLES.map(
        (table) =>
          `create trigger ${MARKER} after insert or update on ${table} for each statement execute function ${FUNCTION}`,
      ),
    ],
  };
}

export function commitOnOneServer(): DistributionStep {
  return {
    description: 'remove the commit in two phases',
    done: done(`to_regprocedure('${FUNCTION}') is null`),
    statements: [
      ...COORDINATED_TABLES.map((table) => `drop trigger ${MARKER} on ${table}`),
      `drop function ${FUNCTION}`,
      `drop table ${MARKER}`,
    ],
  };
}
