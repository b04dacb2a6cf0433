import { DATABASE_LOGINS } from '../tenancy/logins.js';
import { SHARED_LOGIN_ROLE } from '../tenancy/service-login.js';
import { DISTRIBUTED_TABLES } from './distributed-tables.js';
import { isDoneQuery, type DistributionStep } from './distribution-step.js';

/* Creates the functions of a distributed database that tell the service where rows are stored. */

/** The database roles that the service uses outside of transactions. */
const CALLERS = `${SHARED_LOGIN_ROLE}, ${DATABASE_LOGINS.requests.role}`;

/**
 * Creates the function that looks up the Clinic of a caller. `look_clinic_up()` queries all servers, and fails if one
 * of them does not answer. In that case, each shard is queried separately, so that callers whose Clinic is on another
 * server are still found.
 */
export function createClinicLookupStep(): DistributionStep {
  return {
    description: 'create the lookup of the Clinic of a person or link',
    done: isDoneQuery(`to_regprocedure('find_distributed_clinic()') is not null`),
    statements: [
      `create function find_distributed_clinic() returns bigint
        language plpgsql stable security definer set search_path = public, pg_temp as $$
      declare
        caller text := current_setting('app.caller_id', true);
        kind text := current_setting('app.caller_kind', true);
      begin
        return look_clinic_up();
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
      `grant execute on function find_distributed_clinic() to ${CALLERS}`,
    ],
  };
}

/** Creates the function that lists the Clinics of each server, from the coordinator's catalog. */
export function createServerListStep(): DistributionStep {
  return {
    description: 'create the list of the Clinics of each server',
    done: isDoneQuery(`to_regprocedure('clinic_servers()') is not null`),
    statements: [
      `create function clinic_servers() returns table (server text, clinic_ids bigint[])
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
    done: isDoneQuery(`to_regprocedure('check_clinic_servers()') is not null`),
    statements: [
      `create function check_clinic_servers() returns table (server text, answers boolean)
        language sql security definer set search_path = public, pg_temp as $$
        select nodename || ':' || nodeport, success from run_command_on_workers('select 1') $$`,
      'revoke all on function check_clinic_servers() from public',
      `grant execute on function check_clinic_servers() to ${CALLERS}`,
    ],
  };
}
