/*
 * The functions that change the audit trail. Migrations create them, and the migration "audit-parameter" replaces those
 * of databases that were migrated before.
 */

/** They run as the owner of the tables. */
const AUDIT_FUNCTION = `
    language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC'`;

/** They wait for a short time only: statements that wait behind them wait as long. */
const BRIEFLY = `${AUDIT_FUNCTION} set lock_timeout = '2s'`;

/**
 * Sets the variable with which the triggers of the audit trail allow a change. It is no property of the functions: only a
 * superuser may create a function that sets a variable of its own name.
 */
const ALLOW_CHANGES = `perform set_config('app.audit_retiring', 'on', true);`;
const REFUSE_CHANGES = `perform set_config('app.audit_retiring', 'off', true);`;

export const SEAL_COLUMNS = 'chain, number, entry_count, first_at, last_at';

/** Whether a seal has an entry of a month that was over for the entries sealed before it. */
export const STRADDLING = `
  date_trunc('month', first_at at time zone 'UTC') <> date_trunc('month', last_at at time zone 'UTC')`;

/** Key of the advisory lock that lets only one transaction retire entries at a time. */
const RETIRE_LOCK = 4_711_2028;

/** Adds the times to seals of earlier releases, in the order of each chain. */
export const COMPLETE_AUDIT_SEALS = `
  create or replace function complete_audit_seals(maximum integer) returns integer
    ${AUDIT_FUNCTION} as $$
  declare
    seal record;
    completed integer := 0;
  begin
    ${ALLOW_CHANGES}
    for seal in select chain, number, entry_ids, sealed_at from audit_seal
      where last_at is null order by chain, number limit maximum
    loop
      update audit_seal set entry_count = cardinality(seal.entry_ids),
          first_at = coalesce(found.first_at, seal.sealed_at),
          last_at = greatest(coalesce(found.last_at, seal.sealed_at), (select last_at from audit_seal previous
            where previous.chain = seal.chain and previous.number = seal.number - 1))
        from (select min(at) as first_at, max(at) as last_at from audit_entry where id = any (seal.entry_ids)) found
        where audit_seal.chain = seal.chain and audit_seal.number = seal.number;
      completed := completed + 1;
    end loop;
    ${REFUSE_CHANGES}
    return completed;
  end $$`;

/**
 * Writes the entry of the audit trail that proves the retirement, and the row from which verification starts. Its callers
 * allow the change.
 */
export const RECORD_AUDIT_RETIREMENT = `
  create or replace function audit_record_retirement(
    of_chain bigint, up_to integer, count bigint, now timestamptz, host text) returns void
    ${AUDIT_FUNCTION} as $$
  declare
    seal_hash text := (select hash from audit_seal where chain = of_chain and audit_seal.number = up_to);
    proof bigint;
  begin
    if (select last_at from audit_seal where chain = of_chain and number = up_to)
      >= current_timestamp - audit_minimum_retention() then
      raise exception 'entries of the audit trail are kept for %', audit_minimum_retention()
        using errcode = 'insufficient_privilege';
    end if;
    insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address,
      outcome)
    values (nullif(of_chain, 0), now, 'SYSTEM', 'WRITE', 'system retire audit',
      array['audit-seal/' || up_to, 'audit-hash/' || seal_hash], 2, gen_random_uuid(), host, 'OK')
    returning id into proof;
    insert into audit_retirement as kept (chain, number, hash, entries, retired_at, entry_id)
    values (of_chain, up_to, seal_hash, count, now, proof)
    on conflict (chain) do update set number = excluded.number, hash = excluded.hash,
      entries = kept.entries + excluded.entries, retired_at = excluded.retired_at, entry_id = excluded.entry_id;
  end $$`;

/**
 * Retires the next seals of a chain, with about as many entries as requested. An absent seal or entry is an error: to retire
 * the others would hide that it is missing. The last retired seal is kept, because the next one refers to it.
 */
export const RETIRE_AUDIT_ENTRIES = `
  create or replace function retire_audit_entries(
    of_chain bigint, month timestamptz, before timestamptz, now timestamptz, host text, maximum integer) returns integer
    ${AUDIT_FUNCTION} as $$
  declare
    done integer;
    goal integer;
    batch record;
    deleted integer;
  begin
    perform pg_advisory_xact_lock(${RETIRE_LOCK});
    done := coalesce((select number from audit_retirement where chain = of_chain), 0);
    goal := audit_retirable(of_chain, month, before);
    if goal <= done then return 0; end if;
    select max(number) as up_to, count(*) as seals, sum(entry_count) as entries, min(first_at) as first_at,
        max(last_at) as last_at into batch
      from (select *, sum(entry_count) over (order by number) as running from (
        select ${SEAL_COLUMNS} from audit_seal where chain = of_chain and number > done and number <= goal
        order by number limit maximum) next) part
      where running <= maximum or number = done + 1;
    ${ALLOW_CHANGES}
    delete from audit_entry where at between batch.first_at and batch.last_at and id in (
      select unnest(entry_ids) from audit_seal where chain = of_chain and number > done and number <= batch.up_to);
    get diagnostics deleted = row_count;
    if batch.seals is distinct from batch.up_to - done or deleted is distinct from batch.entries then
      raise exception 'entries of the audit trail are missing in chain % after seal %', of_chain, done;
    end if;
    perform audit_record_retirement(of_chain, batch.up_to, deleted, now, host);
    delete from audit_seal where chain = of_chain and number < batch.up_to;
    ${REFUSE_CHANGES}
    return deleted;
  end $$`;

/** Deletes the seals before the last retired one of each chain. */
export const PRUNE_AUDIT_SEALS = `
  create or replace function prune_audit_seals(maximum integer) returns integer
    ${AUDIT_FUNCTION} as $$
  declare
    pruned integer;
  begin
    ${ALLOW_CHANGES}
    delete from audit_seal using (
      select seal.chain, seal.number from audit_retirement kept cross join lateral (
        select chain, number from audit_seal where chain = kept.chain and number < kept.number limit maximum) seal
      limit maximum) old
      where audit_seal.chain = old.chain and audit_seal.number = old.number;
    get diagnostics pruned = row_count;
    ${REFUSE_CHANGES}
    return pruned;
  end $$`;

/**
 * Adds a partition, and moves the rows of the default partition that belong to it. Meanwhile no statement may begin to use
 * the table: a read that was planned for the earlier partitions would not find the moved rows, and a row that is added to
 * the default partition after the copy would be deleted.
 */
export const ADD_AUDIT_PARTITION = `
  create or replace function add_audit_partition(name text, lower timestamptz, upper timestamptz) returns void
    ${BRIEFLY} as $$
  begin
    execute format('create table %I (like audit_entry including defaults including constraints)', name);
    if exists (select from audit_entry_default where at >= lower and at < upper) then
      lock table only audit_entry in access exclusive mode;
      execute format('insert into %I select * from audit_entry_default where at >= $1 and at < $2', name)
        using lower, upper;
      ${ALLOW_CHANGES}
      delete from audit_entry_default where at >= lower and at < upper;
      ${REFUSE_CHANGES}
    end if;
    execute format('alter table audit_entry attach partition %I for values from (%s) to (%L)', name,
      case when lower = '-infinity' then 'minvalue' else quote_literal(lower) end, upper);
    perform protect_audit_partition(name);
  end $$`;

/** Adds the absent partitions of a range of months and of the months of rows in the default partition. */
export const ENSURE_AUDIT_PARTITIONS = `
  create or replace function ensure_audit_partitions(first timestamptz, last timestamptz) returns integer
    ${BRIEFLY} as $$
  declare
    month timestamptz;
    added integer := 0;
  begin
    -- Instances that start at the same time would otherwise create the same partition.
    perform pg_advisory_xact_lock(47112030);
    for month in
      select generate_series(date_trunc('month', first), last, interval '1 month')
      union select date_trunc('month', at) from audit_entry_default order by 1
    loop
      continue when exists (
        select from audit_partitions() where lower < month + interval '1 month' and upper > month);
      perform add_audit_partition('audit_entry_' || to_char(month, 'YYYYMM'), month, month + interval '1 month');
      added := added + 1;
    end loop;
    return added;
  end $$`;

/** Retires the oldest partition of the audit trail as a whole. */
export const RETIRE_AUDIT_PARTITION = `
  create or replace function retire_audit_partition(month timestamptz, before timestamptz, now timestamptz, host text)
    returns table (partition_name text, entries bigint)
    ${BRIEFLY} as $$
  declare
    part record;
    goals jsonb;
    goal record;
    others bigint;
  begin
    perform pg_advisory_xact_lock(${RETIRE_LOCK});
    select * into part from audit_partitions() order by upper limit 1;
    if not found or part.upper > least(month, now) then return; end if;
    if exists (select from audit_unsealed where at is null or at < part.upper)
      or exists (select from audit_seal where last_at is null)
      or exists (select from audit_entry_default where at < part.upper)
      or exists (select from audit_retirement_goals(part.upper, before) where not complete) then return; end if;
    execute format('select count(*) from %I', part.name) into entries;
    select jsonb_agg(to_jsonb(g) || jsonb_build_object('sealed', (
        select sum(entry_count) from audit_seal seal
        where seal.chain = g.chain and number > done and number <= up_to))) into goals
      from audit_retirement_goals(part.upper, before) g where up_to > done;
    -- A seal at the end of the month can also have entries of the next one.
    ${ALLOW_CHANGES}
    delete from audit_entry where at >= part.upper and at < before and id in (
      select unnest(entry_ids)
      from audit_seal seal join jsonb_to_recordset(goals) as g (chain bigint, done integer, up_to integer) using (chain)
      where number > done and number <= up_to and last_at >= part.upper);
    get diagnostics others = row_count;
    if entries + others is distinct from
        (select coalesce(sum(sealed), 0) from jsonb_to_recordset(goals) as g (sealed bigint)) then
      raise exception 'the entries of % differ from their seals: run "npm run audit-verify"', part.name;
    end if;
    for goal in select * from jsonb_to_recordset(goals) as g (chain bigint, up_to integer, sealed bigint) loop
      perform audit_record_retirement(goal.chain, goal.up_to, goal.sealed, now, host);
    end loop;
    ${REFUSE_CHANGES}
    execute format('drop table %I', part.name);
    partition_name := part.name;
    entries := entries + others;
    return next;
  end $$`;
