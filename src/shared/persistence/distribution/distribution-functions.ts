import { DATABASE_LOGINS } from '../tenancy/logins.js';
import { SHARED_LOGIN_ROLE } from '../tenancy/service-login.js';
import { DISTRIBUTED_TABLES } from './distributed-tables.js';
import { isDoneQuery, type DistributionStep } from './distribution-step.js';

/* Creates the functions of a distributed database that tell the service where rows are stored. */

/** The database roles that the service uses outside of transactions. */
const CALLERS = [SHARED_LOGIN_ROLE, ...Object.values(DATABASE_LOGINS).map(({ role }) => role)].join(', ');

/** How long Citus waits for a connection to a server, which is 30 s by default. */
const CONNECTION_TIMEOUT = `set citus.node_connection_timeout = '1200'`;

/** SQL that tells whether a function exists in the current form. That of earlier releases waits for frozen servers. */
const hasTimeout = (name: string) => `coalesce((
  select proconfig::text like '%node_connection_timeout%' from pg_proc where oid = to_regprocedure('${name}')), false)`;

/**
 * `look_clinic_up()` queries all servers, and fails if one of them does not answer. In that case, and without the
 * servers in `app.unreachable_servers`, each server is queried separately, so that callers whose Clinic is on another
 * server are still found. If the caller is not found there, the function fails, because the Clinic may be on a server
 * that does not answer.
 */
const CLINIC_LOOKUP = `create or replace function find_distributed_clinic() returns bigint
  language plpgsql stable security definer set search_path = public, pg_temp ${CONNECTION_TIMEOUT} as $$
declare
  caller text := current_setting('app.caller_id', true);
  kind text := current_setting('app.caller_kind', true);
  unreachable text := coalesce(current_setting('app.unreachable_servers', true), '');
  found bigint;
  is_complete boolean;
begin
  if unreachable = '' then
    begin
      return look_clinic_up();
    exception when connection_exception or cannot_connect_now or admin_shutdown or crash_shutdown then null;
    end;
  end if;
  with searched as (
    select nodename, nodeport, format('select max(clinic_id) from (%s) found', string_agg(format(
      case logicalrelid::text
        when 'calendar_link' then 'select clinic_id from %s where %L in (secret_hash, previous_secret_hash)'
        when 'opt_out_link' then 'select clinic_id from %s where secret_hash = %L'
        when 'reminder_preference' then 'select clinic_id from %s where opt_out_token = %L'
        else 'select clinic_id from %s where id = %L' end,
      shard_name(logicalrelid, shardid), caller), ' union all ')) as command
    from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where noderole = 'primary' and (nodename || ':' || nodeport) <> all (string_to_array(unreachable, ','))
      and logicalrelid = any (case kind when 'CARE_PROVIDER' then array['care_provider'] when 'CLIENT' then array['client']
        when 'CALENDAR_LINK' then array['calendar_link'] else array['opt_out_link', 'reminder_preference'] end::regclass[])
    group by 1, 2),
  lists as (
    select array_agg(nodename) as names, array_agg(nodeport) as ports, array_agg(command) as commands from searched)
  select max(nullif(result, '')::bigint) filter (where success), coalesce(bool_and(success), false) and unreachable = ''
    into found, is_complete
    from lists, master_run_on_worker(names, ports, commands, true);
  if found is null and not is_complete then
    raise exception 'a server does not answer, on which the Clinic may be' using errcode = 'connection_failure';
  end if;
  return found;
end $$`;

/** Creates the function that looks up the Clinic of a caller. */
export function createClinicLookupStep(): DistributionStep {
  return {
    description: 'create the lookup of the Clinic of a person or link',
    done: isDoneQuery(hasTimeout('find_distributed_clinic()')),
    statements: [
      CLINIC_LOOKUP,
      `revoke all on function find_distributed_clinic() from public`,
      `grant execute on function find_distributed_clinic() to ${CALLERS}`,
    ],
  };
}

/** Creates the function that lists the Clinics of each server, from the coordinator's catalog. */
export function createServerListStep(): DistributionStep {
  return {
    description: 'create the list of the Clinics of each server',
    // Earlier releases have granted it to the login of requests only.
    done: isDoneQuery(
      `has_function_privilege('${DATABASE_LOGINS.reminders.role}', to_regprocedure('clinic_servers()'), 'execute')`,
    ),
    statements: [
      `create or replace function clinic_servers() returns table (server text, clinic_ids bigint[])
        language sql stable security definer set search_path = public, pg_temp as $$
        select node.nodename || ':' || node.nodeport, array_agg(clinic.id order by clinic.id)
        from (select id, get_shard_id_for_distribution_column('${DISTRIBUTED_TABLES[0]}', id) as shard from clinic) as clinic
          join pg_dist_placement placement on placement.shardid = clinic.shard
          join pg_dist_node node on node.groupid = placement.groupid and node.noderole = 'primary'
        group by 1 $$`,
      'revoke all on function clinic_servers() from public',
      `grant execute on function clinic_servers() to ${CALLERS}`,
    ],
  };
}

/**
 * Citus opens new connections for this function. `citus_check_connection_to_node` would use one that was open before a
 * server was started again, and would report that the server does not answer.
 */
export function createServerCheckStep(): DistributionStep {
  return {
    description: 'create the check of the servers',
    done: isDoneQuery(hasTimeout('check_clinic_servers()')),
    statements: [
      `create or replace function check_clinic_servers() returns table (server text, answers boolean)
        language sql security definer set search_path = public, pg_temp ${CONNECTION_TIMEOUT} as $$
        select nodename || ':' || nodeport, success from run_command_on_workers('select 1') $$`,
      'revoke all on function check_clinic_servers() from public',
      `grant execute on function check_clinic_servers() to ${CALLERS}`,
    ],
  };
}
