import { isDoneQuery, type DistributionStep } from './distribution-step.js';

/* Replaces functions and triggers by variants for a distributed database, and restores the original definitions. */

const TABLE = 'distribution_definition';
const LOOK_UP = 'current_clinic()';
const SYSTEM = 'scheduling_system';
const FIND_RECORD = 'directory_record_exists(text, bigint)';
/** Tables with a trigger that reads all rows of a statement, which Citus does not support on distributed tables. */
const REMEMBERED_TABLES = ['session', 'homework', 'reminder'] as const;
/** Tables whose `changed_in` column has a default that Citus would compute on the coordinator. */
const SEARCHED_TABLES = ['care_provider', 'client', 'book', 'design_plan'] as const;
const INSERTED = 'set_changed_in_at_insert';
const REMOVED_TRIGGER = 'keep_removed_record';

/** Stores the original definitions, because a restarted run and an undo need them after the replacement. */
export function storeOriginalDefinitionsStep(): DistributionStep {
  const tables = REMEMBERED_TABLES.map((table) => `'${table}'::regclass`).join(', ');
  return {
    description: 'remember the functions and triggers that are replaced',
    done: isDoneQuery(`to_regclass('${TABLE}') is not null`),
    statements: [
      `create table ${TABLE} (kind text not null, name text not null, definition text not null, primary key (kind, name))`,
      `insert into ${TABLE} select 'function', '${LOOK_UP}', pg_get_functiondef('${LOOK_UP}'::regprocedure)`,
      `insert into ${TABLE} select 'trigger', tgrelid::regclass::text, pg_get_triggerdef(oid)
        from pg_trigger where tgname = '${REMOVED_TRIGGER}' and tgrelid in (${tables})`,
    ],
  };
}

/**
 * Makes `current_clinic()` return null. The Clinic of a caller is looked up once before the transaction; if the caller
 * has no Clinic, policies and defaults would otherwise query all servers again.
 */
export function replaceClinicLookupStep(): DistributionStep {
  return {
    description: 'look the Clinic of a caller up before the transaction only',
    done: isDoneQuery(`to_regprocedure('look_clinic_up()') is not null`),
    statements: [
      `do $$ begin
        execute (select replace(definition, '${LOOK_UP}', 'look_clinic_up()') from ${TABLE} where name = '${LOOK_UP}');
      end $$`,
      'revoke all on function look_clinic_up() from public',
      `create or replace function ${LOOK_UP} returns bigint
        language sql stable security definer set search_path = public, pg_temp as 'select null::bigint'`,
      // Statements that reach several servers are logged as mistakes. This function queries all servers on purpose.
      `alter function ${FIND_RECORD} set citus.multi_task_query_log_level = 'off'`,
      // With the rights of the owner, Citus would not see the uncommitted changes of the transaction's role.
      'alter function link_records() security invoker',
    ],
  };
}

/** Searches select rows by the ID of the transaction that changed them, so each server must assign its own IDs. */
export function setChangedInByTriggerStep(): DistributionStep {
  return {
    description: 'number the changes of searched records on their server',
    done: isDoneQuery(`exists (select from pg_trigger where tgname = '${INSERTED}')`),
    statements: SEARCHED_TABLES.map(
      (table) => `create trigger ${INSERTED} before insert on ${table} for each row execute function set_changed_in()`,
    ),
  };
}

export function setChangedInByDefaultStep(): DistributionStep {
  return {
    description: 'number the changes of searched records by default',
    done: isDoneQuery(`not exists (select from pg_trigger where tgname = '${INSERTED}')`),
    statements: SEARCHED_TABLES.map((table) => `drop trigger ${INSERTED} on ${table}`),
  };
}

/**
 * Before it deletes a row of a reference table, Citus locks the tables to which it refers, which requires the right to
 * update them.
 */
export function allowErasureOfBooksStep(): DistributionStep {
  return {
    description: `allow ${SYSTEM} to lock clinic`,
    done: isDoneQuery(`has_table_privilege('${SYSTEM}', 'clinic', 'update')`),
    statements: [`grant update on clinic to ${SYSTEM}`],
  };
}

export function disallowErasureOfBooksStep(): DistributionStep {
  return {
    description: `take the right to lock clinic from ${SYSTEM}`,
    done: isDoneQuery(`not has_table_privilege('${SYSTEM}', 'clinic', 'update')`),
    statements: [`revoke update on clinic from ${SYSTEM}`],
  };
}

export function restoreClinicLookupStep(): DistributionStep {
  return {
    description: 'look the Clinic of a caller up in the policies',
    done: isDoneQuery(`to_regprocedure('look_clinic_up()') is null`),
    statements: [
      `do $$ begin execute (select definition from ${TABLE} where name = '${LOOK_UP}'); end $$`,
      'drop function look_clinic_up()',
      'alter function link_records() security definer',
      `alter function ${FIND_RECORD} reset citus.multi_task_query_log_level`,
    ],
  };
}

/** Replaces the statement triggers on these tables by row triggers that write the same rows. */
export function replaceRemovalTriggersStep(): DistributionStep {
  return {
    description: 'let a trigger of each row keep the names of removed records',
    done: isDoneQuery(`to_regprocedure('${REMOVED_TRIGGER}()') is not null`),
    statements: [
      `create function ${REMOVED_TRIGGER}() returns trigger
        language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        case tg_argv[0]
          when 'session' then
            insert into removed_record (clinic_id, client_id, name, removed_at)
            values (old.clinic_id, old.client_id, 'session/' || old.id, clock_timestamp()),
              (old.clinic_id, old.client_id, 'series/' || old.series_id, clock_timestamp()) on conflict do nothing;
          when 'homework' then
            insert into removed_record (clinic_id, client_id, name, removed_at)
            select clinic_id, client_id, 'homework/' || old.id, clock_timestamp() from session
            where clinic_id = old.clinic_id and id = old.session_id on conflict do nothing;
          when 'reminder' then
            if old.recipient_kind = 'CLIENT' then
              insert into removed_record (clinic_id, client_id, name, removed_at)
              values (old.clinic_id, old.recipient_id, 'reminder/' || old.id, clock_timestamp()) on conflict do nothing;
            end if;
        end case;
        return null;
      end $$`,
      // Other roles could use it as a trigger of a temporary table, and so write rows that they must not write.
      `revoke all on function ${REMOVED_TRIGGER}() from public`,
      ...REMEMBERED_TABLES.flatMap((table) => [
        `drop trigger ${REMOVED_TRIGGER} on ${table}`,
        `create trigger ${REMOVED_TRIGGER} after delete on ${table}
          for each row execute function ${REMOVED_TRIGGER}('${table}')`,
      ]),
    ],
  };
}

export function restoreRemovalTriggersStep(): DistributionStep {
  return {
    description: 'let a trigger of each statement keep the names of removed records',
    done: isDoneQuery(`to_regprocedure('${REMOVED_TRIGGER}()') is null`),
    statements: [
      ...REMEMBERED_TABLES.map((table) => `drop trigger ${REMOVED_TRIGGER} on ${table}`),
      `do $$ declare item record; begin
        for item in select definition from ${TABLE} where kind = 'trigger' loop execute item.definition; end loop;
      end $$`,
      `drop function ${REMOVED_TRIGGER}()`,
    ],
  };
}

export function deleteOriginalDefinitionsStep(): DistributionStep {
  return {
    description: 'remove the remembered functions and triggers',
    done: isDoneQuery(`to_regclass('${TABLE}') is null`),
    statements: [`drop table ${TABLE}`],
  };
}
