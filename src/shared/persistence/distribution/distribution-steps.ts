import { SERVICE_LOGIN_ROLE } from '../tenancy/service-login.js';
import { DISTRIBUTED_TABLES, DISTRIBUTION_COLUMN, REFERENCE_TABLES } from './distributed-tables.js';

/** A step of `npm run distribute`. Each is one transaction, and a step that is done is left out. */
export type DistributionStep = {
  description: string;
  /** A statement that returns whether the step is done, as `done`. */
  done: string;
  statements: readonly string[];
};

const TABLES = [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES];
const TABLE_LIST = TABLES.map((table) => `'${table}'`).join(', ');
/** The servers are connected to with the role of the transaction, so the roles log in there. */
const ROLES = ['service', 'admin', 'reminders', 'maintenance', 'audit', 'system', 'monitoring'].map(
  (name) => `scheduling_${name}`,
);
/** Tables whose IDs are an identity column, which Citus cannot convert back. */
const WITH_IDENTITY = [
  ...REFERENCE_TABLES,
  ...(['care_provider', 'client', 'design_plan', 'session', 'homework', 'reminder', 'calendar_link'] as const),
];
/** Tables for whose rows the service takes IDs from the sequence before it inserts them (migration "field-encryption"). */
const WITH_RESERVED_IDS = new Set(['client', 'care_provider', 'session']);
/** The index serves instances of the release before, which cannot run on a distributed database. */
const PREVIOUS_RELEASE_INDEX = 'client_assignment_pair';

const isDistributed = (table: string) =>
  `exists (select from pg_dist_partition where logicalrelid = to_regclass('${table}') and partmethod in ('h', 'n'))`;
const done = (condition: string) => `select ${condition} as done`;

/** The foreign keys from and to tables that are to be distributed. Citus adds them again between distributed tables. */
const FOREIGN_KEYS = `
  pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
    and (conrelid::regclass::text in (${TABLE_LIST}) or confrelid::regclass::text in (${TABLE_LIST}))`;

/** Citus does not allow an action that sets a column of a key with the Clinic. A trigger does the same. */
const SET_NULL = ' ON DELETE SET NULL (homework_id)';

/** The steps that distribute a database of one server. */
export function listDistributionSteps(shardCount: number): DistributionStep[] {
  return [
    ...ROLES.map((role) => allowLogin(role)),
    rememberForeignKeys(),
    removeForeignKeys(`conrelid not in (select logicalrelid from pg_dist_partition)`),
    ...WITH_IDENTITY.map((table) => replaceIdentity(table)),
    {
      description: `remove the index ${PREVIOUS_RELEASE_INDEX} of the previous release`,
      done: done(`to_regclass('${PREVIOUS_RELEASE_INDEX}') is null`),
      statements: [`drop index ${PREVIOUS_RELEASE_INDEX}`],
    },
    releaseReminders(),
    simplifyPolicies(),
    ...REFERENCE_TABLES.map((table) => ({
      description: `copy ${table} to each server`,
      done: done(isDistributed(table)),
      statements: [...UNSAFE_TRIGGERS, `select create_reference_table('${table}')`],
    })),
    ...DISTRIBUTED_TABLES.map((table) => distributeTable(table, shardCount)),
    addForeignKeys(),
    createLookUp(),
    createServerList(),
    createServerCheck(),
  ];
}

/** The steps that return to one server. */
export function listUndoSteps(): DistributionStep[] {
  const reversed = [...DISTRIBUTED_TABLES].reverse();
  return [
    ...['check_clinic_servers()', 'clinic_servers()'].map((name) => ({
      description: `remove the function ${name}`,
      done: done(`to_regprocedure('${name}') is null`),
      statements: [`drop function ${name}`],
    })),
    {
      description: 'remove the look-up of the Clinic',
      done: done(`to_regprocedure('find_distributed_clinic()') is null`),
      statements: ['drop function find_distributed_clinic()'],
    },
    removeForeignKeys(`(conrelid in (select logicalrelid from pg_dist_partition))`),
    ...[...reversed, ...REFERENCE_TABLES].map((table) => ({
      description: `move ${table} to the coordinator`,
      done: done(`not ${isDistributed(table)}`),
      statements: [...UNSAFE_TRIGGERS, `select undistribute_table('${table}')`],
    })),
    {
      description: 'let the foreign key of reminders release them from their homework',
      done: done(`to_regprocedure('release_reminders()') is null`),
      statements: ['drop trigger release_reminders on homework', 'drop function release_reminders()'],
    },
    restorePolicies(),
    ...WITH_IDENTITY.map((table) => restoreIdentity(table)),
    restoreForeignKeys(),
  ];
}

/** Triggers write to tables of the same Clinic only, so to the same server. */
const UNSAFE_TRIGGERS = ['set local citus.enable_unsafe_triggers = on'];

function allowLogin(role: string): DistributionStep {
  return {
    description: `allow ${role} to log in, without a password`,
    done: done(`(select rolcanlogin from pg_roles where rolname = '${role}')`),
    statements: [`alter role ${role} login`],
  };
}

/** A restart finds the definitions here, and so does the way back. */
function rememberForeignKeys(): DistributionStep {
  return {
    description: 'remember the foreign keys',
    done: done(`to_regclass('distribution_foreign_key') is not null`),
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
    done: done(`not exists (select from ${FOREIGN_KEYS} and ${which})`),
    statements: [
      `do $$ declare key record; begin
        for key in select conrelid::regclass as relation, conname from ${FOREIGN_KEYS} and ${which} loop
          execute format('alter table %s drop constraint %I', key.relation, key.conname);
        end loop;
      end $$`,
    ],
  };
}

/** Adds the foreign keys between distributed tables. Those of tables of the coordinator are added on the way back. */
function addForeignKeys(): DistributionStep {
  const absent = `
    distribution_foreign_key key where table_name in (${TABLE_LIST}) and not exists (
      select from pg_constraint where conrelid = table_name::regclass and conname = key.name)`;
  return {
    description: 'add the foreign keys',
    done: done(`not exists (select from ${absent})`),
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

function restoreForeignKeys(): DistributionStep {
  return {
    description: `add the foreign keys and the index ${PREVIOUS_RELEASE_INDEX}`,
    done: done(`to_regclass('distribution_foreign_key') is null`),
    statements: [
      `do $$ declare key record; begin
        for key in select * from distribution_foreign_key loop
          execute format('alter table %I add constraint %I %s', key.table_name, key.name, key.definition);
        end loop;
      end $$`,
      `create unique index ${PREVIOUS_RELEASE_INDEX} on client_assignment (client_id, care_provider_id)`,
      'drop table distribution_foreign_key',
    ],
  };
}

function replaceIdentity(table: string): DistributionStep {
  return {
    description: `take the IDs of ${table} from a sequence`,
    done: done(`(select attidentity = '' from pg_attribute where attrelid = '${table}'::regclass and attname = 'id')`),
    statements: [
      `do $$ declare next bigint := nextval(pg_get_serial_sequence('${table}', 'id')); begin
        alter table ${table} alter column id drop identity;
        execute format('create sequence ${table}_id_seq owned by ${table}.id start %s', next);
        alter table ${table} alter column id set default nextval('${table}_id_seq');
        grant usage on sequence ${table}_id_seq to ${[SERVICE_LOGIN_ROLE, ...ROLES].join(', ')};
      end $$`,
    ],
  };
}

function restoreIdentity(table: string): DistributionStep {
  const grant = WITH_RESERVED_IDS.has(table) ? ` grant usage on sequence ${table}_id_seq to scheduling_service;` : '';
  return {
    description: `make the IDs of ${table} an identity column`,
    done: done(`(select attidentity <> '' from pg_attribute where attrelid = '${table}'::regclass and attname = 'id')`),
    statements: [
      `do $$ declare next bigint := nextval(pg_get_serial_sequence('${table}', 'id')); begin
        alter table ${table} alter column id drop default;
        drop sequence ${table}_id_seq;
        execute format('alter table ${table} alter column id add generated by default as identity (start %s)', next);${grant}
      end $$`,
    ],
  };
}

function releaseReminders(): DistributionStep {
  return {
    description: 'let a trigger release reminders from homework that is deleted',
    done: done(`to_regprocedure('release_reminders()') is not null`),
    statements: [
      `create function release_reminders() returns trigger language plpgsql as $$
      begin
        update reminder set homework_id = null where clinic_id = old.clinic_id and homework_id = old.id;
        return old;
      end $$`,
      `create trigger release_reminders before delete on homework for each row execute function release_reminders()`,
    ],
  };
}

/** The Clinic that the transaction has set, as PostgreSQL prints it in a policy. */
const CLINIC_OF_TRANSACTION = `(NULLIF(current_setting('app.clinic_id'::text, true), ''::text))::bigint`;
const WITH_LOOK_UP = `COALESCE(${CLINIC_OF_TRANSACTION}, current_clinic())`;

/**
 * The policies look the Clinic up for instances of a previous release, which do not set it. Citus would call that function
 * for each row that is inserted.
 */
function simplifyPolicies(): DistributionStep {
  return replaceInPolicies('remove the look-up of the Clinic from the policies', WITH_LOOK_UP, CLINIC_OF_TRANSACTION, {
    doneIfNone: `qual like '%current_clinic()%'`,
  });
}

function restorePolicies(): DistributionStep {
  return replaceInPolicies('add the look-up of the Clinic to the policies', CLINIC_OF_TRANSACTION, WITH_LOOK_UP, {
    doneIfNone: `qual like '%app.clinic_id%' and qual not like '%current_clinic()%'`,
  });
}

function replaceInPolicies(
  description: string,
  from: string,
  to: string,
  { doneIfNone }: { doneIfNone: string },
): DistributionStep {
  const policies = `pg_policies where schemaname = 'public' and tablename in (${TABLE_LIST}) and ${doneIfNone}`;
  return {
    description,
    done: done(`not exists (select from ${policies})`),
    statements: [
      `do $$ declare item record; begin
        for item in select tablename, policyname, qual from ${policies} loop
          execute format('alter policy %I on %I using (%s)', item.policyname, item.tablename,
            replace(item.qual, $text$${from}$text$, $text$${to}$text$));
        end loop;
      end $$`,
    ],
  };
}

function distributeTable(table: string, shardCount: number): DistributionStep {
  const [first] = DISTRIBUTED_TABLES;
  const place =
    table === first ? `shard_count := ${shardCount}, colocate_with := 'none'` : `colocate_with := '${first}'`;
  return {
    description: `distribute ${table}`,
    done: done(isDistributed(table)),
    statements: [...UNSAFE_TRIGGERS, `select create_distributed_table('${table}', '${DISTRIBUTION_COLUMN}', ${place})`],
  };
}

/**
 * Looks up the Clinic of a caller. `current_clinic()` asks all servers, and fails if one does not answer. Then each shard is
 * asked for itself, so that callers whose Clinic lies on another server are still found.
 */
function createLookUp(): DistributionStep {
  return {
    description: 'create the look-up of the Clinic of a person or link',
    done: done(`to_regprocedure('find_distributed_clinic()') is not null`),
    statements: [
      `create function find_distributed_clinic() returns bigint
        language plpgsql stable security definer set search_path = public, pg_temp as $$
      declare
        caller text := current_setting('app.caller_id', true);
        kind text := current_setting('app.caller_kind', true);
      begin
        return current_clinic();
      exception when connection_exception or cannot_connect_now or admin_shutdown or crash_shutdown then
        return (select max(result)::bigint from run_command_on_shards(
          case kind when 'CARE_PROVIDER' then 'care_provider' when 'CLIENT' then 'client'
            when 'CALENDAR_LINK' then 'calendar_link' else 'opt_out_link' end::regclass,
          'select clinic_id from %s where ' || case
            when kind in ('CARE_PROVIDER', 'CLIENT') then format('id = %s', caller::bigint)
            when kind = 'CALENDAR_LINK' then format('%L in (secret_hash, previous_secret_hash)', caller)
            else format('secret_hash = %L', caller) end)
          where success and result <> '');
      end $$`,
      `revoke all on function find_distributed_clinic() from public`,
      `grant execute on function find_distributed_clinic() to ${SERVICE_LOGIN_ROLE}`,
    ],
  };
}

/** Lists the Clinics of each server, from the catalog of the coordinator. */
function createServerList(): DistributionStep {
  return {
    description: 'create the list of the Clinics of each server',
    done: done(`to_regprocedure('clinic_servers()') is not null`),
    statements: [
      `create function clinic_servers() returns table (server text, clinic_ids bigint[])
        language sql stable security definer set search_path = public, pg_temp as $$
        select node.nodename || ':' || node.nodeport, array_agg(clinic.id order by clinic.id)
        from (select id, get_shard_id_for_distribution_column('${DISTRIBUTED_TABLES[0]}', id) as shard from clinic) as clinic
          join pg_dist_placement placement on placement.shardid = clinic.shard
          join pg_dist_node node on node.groupid = placement.groupid and node.noderole = 'primary'
        group by 1 $$`,
      'revoke all on function clinic_servers() from public',
      `grant execute on function clinic_servers() to ${SERVICE_LOGIN_ROLE}`,
    ],
  };
}

function createServerCheck(): DistributionStep {
  return {
    description: 'create the check of the servers',
    done: done(`to_regprocedure('check_clinic_servers()') is not null`),
    statements: [
      `create function check_clinic_servers() returns table (server text, answers boolean)
        language sql stable security definer set search_path = public, pg_temp as $$
        select nodename || ':' || nodeport, coalesce(citus_check_connection_to_node(nodename, nodeport), false)
        from pg_dist_node where groupid <> 0 and isactive and noderole = 'primary' $$`,
      'revoke all on function check_clinic_servers() from public',
      `grant execute on function check_clinic_servers() to ${SERVICE_LOGIN_ROLE}`,
    ],
  };
}
