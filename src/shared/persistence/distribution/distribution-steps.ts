import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN, REFERENCE_TABLES } from './distributed-tables.js';
import {
  enableClinicMovesStep,
  disableClinicMovesStep,
  detachRemindersByTriggerStep,
  hideNoticesStep,
  replaceIdentityColumnStep,
  restoreIdentityColumnStep,
  restorePoliciesStep,
  showNoticesStep,
  simplifyPoliciesStep,
} from './distribution-changes.js';
import { removeCommitCoordinationStep, addCommitCoordinationStep } from './distribution-commits.js';
import { createClinicLookupStep, createServerCheckStep, createServerListStep } from './distribution-functions.js';
import {
  allowErasureOfBooksStep,
  disallowErasureOfBooksStep,
  deleteOriginalDefinitionsStep,
  replaceRemovalTriggersStep,
  setChangedInByDefaultStep,
  setChangedInByTriggerStep,
  storeOriginalDefinitionsStep,
  replaceClinicLookupStep,
  restoreClinicLookupStep,
  restoreRemovalTriggersStep,
} from './distribution-replacements.js';
import { isDoneQuery, TRANSACTION_ROLES, TABLE_NAME_LITERALS, type DistributionStep } from './distribution-step.js';

/** Tables whose IDs come from an identity column, which Citus cannot convert back. */
const WITH_IDENTITY = [
  ...REFERENCE_TABLES,
  ...(['care_provider', 'client', 'design_plan', 'session', 'homework', 'reminder', 'calendar_link'] as const),
];
/** An index for instances of the previous release, which cannot run on a distributed database. */
const PREVIOUS_RELEASE_INDEX = 'client_assignment_pair';

const isDistributed = (table: string) =>
  `exists (select from pg_dist_partition where logicalrelid = to_regclass('${table}') and partmethod in ('h', 'n'))`;

/**
 * SQL that finds the foreign keys from and to tables that are to be distributed. They are removed first, and added
 * again once the tables are distributed.
 */
const FOREIGN_KEYS = `
  pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
    and (conrelid::regclass::text in (${TABLE_NAME_LITERALS}) or confrelid::regclass::text in (${TABLE_NAME_LITERALS}))`;

/** SQL that finds the remembered foreign keys that do not exist now. */
const ABSENT_FOREIGN_KEYS = `
  distribution_foreign_key key where not exists (
    select from pg_constraint where conrelid = table_name::regclass and conname = key.name)`;

/**
 * Citus does not support `on delete set null` in foreign keys that contain the distribution column. The trigger of
 * `detachRemindersByTriggerStep` does the same.
 */
const SET_NULL = ' ON DELETE SET NULL (homework_id)';

/** The steps that distribute a database of one server. */
export function listDistributionSteps(shardCount: number): DistributionStep[] {
  return [
    ...TRANSACTION_ROLES.map((role) => allowLogin(role)),
    rememberForeignKeys(),
    removeForeignKeys(`conrelid not in (select logicalrelid from pg_dist_partition)`),
    ...WITH_IDENTITY.map((table) => replaceIdentityColumnStep(table)),
    {
      description: `remove the index ${PREVIOUS_RELEASE_INDEX} of the previous release`,
      done: isDoneQuery(`to_regclass('${PREVIOUS_RELEASE_INDEX}') is null`),
      statements: [`drop index ${PREVIOUS_RELEASE_INDEX}`],
    },
    detachRemindersByTriggerStep(),
    storeOriginalDefinitionsStep(),
    replaceRemovalTriggersStep(),
    simplifyPoliciesStep(),
    showNoticesStep(),
    disableClinicMovesStep(),
    setChangedInByTriggerStep(),
    replaceClinicLookupStep(),
    allowErasureOfBooksStep(),
    ...REFERENCE_TABLES.map((table) => ({
      description: `copy ${table} to each server`,
      done: isDoneQuery(isDistributed(table)),
      statements: [...UNSAFE_TRIGGERS, `select create_reference_table('${table}')`],
    })),
    ...DISTRIBUTED_TABLES.flatMap((table) => [distributeTable(table, shardCount), removeLocalRows(table)]),
    ...REFERENCE_TABLES.map((table) => removeLocalRows(table)),
    addForeignKeys(),
    createClinicLookupStep(),
    createServerListStep(),
    createServerCheckStep(),
    addCommitCoordinationStep(),
  ];
}

/** The steps that move the tables of a distributed database back to one server. */
export function listUndoSteps(): DistributionStep[] {
  const reversed = [...DISTRIBUTED_TABLES].reverse();
  return [
    removeCommitCoordinationStep(),
    ...['check_clinic_servers()', 'clinic_servers()'].map((name) => ({
      description: `remove the function ${name}`,
      done: isDoneQuery(`to_regprocedure('${name}') is null`),
      statements: [`drop function ${name}`],
    })),
    {
      description: 'remove the lookup of the Clinic',
      done: isDoneQuery(`to_regprocedure('find_distributed_clinic()') is null`),
      statements: ['drop function find_distributed_clinic()'],
    },
    removeForeignKeys(`(conrelid in (select logicalrelid from pg_dist_partition))`),
    ...[...reversed, ...REFERENCE_TABLES].map((table) => ({
      description: `move ${table} to the coordinator`,
      done: isDoneQuery(`not ${isDistributed(table)}`),
      statements: [...UNSAFE_TRIGGERS, `select undistribute_table('${table}')`],
    })),
    {
      description: 'let the foreign key of reminders release them from their homework',
      done: isDoneQuery(`to_regprocedure('release_reminders()') is null`),
      statements: ['drop trigger release_reminders on homework', 'drop function release_reminders()'],
    },
    restoreRemovalTriggersStep(),
    setChangedInByDefaultStep(),
    restoreClinicLookupStep(),
    disallowErasureOfBooksStep(),
    deleteOriginalDefinitionsStep(),
    restorePoliciesStep(),
    hideNoticesStep(),
    ...WITH_IDENTITY.map((table) => restoreIdentityColumnStep(table)),
    enableClinicMovesStep(),
    restoreForeignKeys(),
  ];
}

/**
 * Lets Citus accept the triggers. They are safe, because they only write to tables of the same Clinic, and therefore on
 * the same server.
 */
const UNSAFE_TRIGGERS = ['set local citus.enable_unsafe_triggers = on'];

function allowLogin(role: string): DistributionStep {
  return {
    description: `allow ${role} to log in, without a password`,
    done: isDoneQuery(`(select rolcanlogin from pg_roles where rolname = '${role}')`),
    statements: [`alter role ${role} login`],
  };
}

/**
 * Stores the definitions of the foreign keys, because a restarted run and an undo need them after the keys have been
 * removed.
 */
function rememberForeignKeys(): DistributionStep {
  return {
    description: 'remember the foreign keys',
    done: isDoneQuery(`to_regclass('distribution_foreign_key') is not null`),
    statements: [
      `create table distribution_foreign_key (
        table_name text not null, name text not null, definition text not null, primary key (table_name, name))`,
      `insert into distribution_foreign_key
        select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from ${FOREIGN_KEYS}`,
    ],
  };
}

function removeForeignKeys(which: string): DistributionStep {
  return {
    description: 'remove foreign keys, which Citus adds to distributed tables only',
    done: isDoneQuery(`not exists (select from ${FOREIGN_KEYS} and ${which})`),
    statements: [
      `do $$ declare key record; begin
        for key in select conrelid::regclass as relation, conname from ${FOREIGN_KEYS} and ${which} loop
          execute format('alter table %s drop constraint %I', key.relation, key.conname);
        end loop;
      end $$`,
    ],
  };
}

/**
 * Adds the foreign keys of distributed tables. The foreign keys of tables on the coordinator are added again only by an
 * undo.
 */
function addForeignKeys(): DistributionStep {
  const absent = `${ABSENT_FOREIGN_KEYS} and table_name in (${TABLE_NAME_LITERALS})`;
  return {
    description: 'add the foreign keys',
    done: isDoneQuery(`not exists (select from ${absent})`),
    statements: [
      `do $$ declare item record; begin
        for item in select key.* from ${absent} loop
          execute format('alter table %I add constraint %I %s', item.table_name, item.name,
            replace(item.definition, '${SET_NULL}', ''));
        end loop;
      end $$`,
    ],
  };
}

/** Adds what the distribution has removed. After an early interruption, some or all of it is still there. */
function restoreForeignKeys(): DistributionStep {
  return {
    description: `add the foreign keys and the index ${PREVIOUS_RELEASE_INDEX}`,
    done: isDoneQuery(`to_regclass('distribution_foreign_key') is null`),
    statements: [
      `do $$ declare item record; begin
        for item in select key.* from ${ABSENT_FOREIGN_KEYS} loop
          execute format('alter table %I add constraint %I %s', item.table_name, item.name, item.definition);
        end loop;
      end $$`,
      `create unique index if not exists ${PREVIOUS_RELEASE_INDEX} on client_assignment (client_id, care_provider_id)`,
      'drop table distribution_foreign_key',
    ],
  };
}

function distributeTable(table: string, shardCount: number): DistributionStep {
  const [first] = DISTRIBUTED_TABLES;
  const place =
    table === first ? `shard_count := ${shardCount}, colocate_with := 'none'` : `colocate_with := '${first}'`;
  return {
    description: `distribute ${table}`,
    done: isDoneQuery(isDistributed(table)),
    statements: [...UNSAFE_TRIGGERS, `select create_distributed_table('${table}', '${DISTRIBUTION_COLUMN}', ${place})`],
  };
}

/**
 * Citus hides the rows that it has copied, but leaves them on the disk of the coordinator, where nothing would ever
 * erase them.
 */
function removeLocalRows(table: string): DistributionStep {
  return {
    description: `remove the rows of ${table} that the coordinator has kept`,
    done: isDoneQuery(`${isDistributed(table)} and pg_relation_size('${table}') = 0`),
    statements: [`select truncate_local_data_after_distributing_table('${table}')`],
  };
}
