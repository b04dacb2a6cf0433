import type { Client } from 'pg';

/**
 * Describes the schema of the service from PostgreSQL's catalog, with one line per column, index, constraint, policy,
 * trigger, function, sequence and grant. Leaves out the tables of the migrator, and partitions, which depend on the
 * time and on the rows.
 */
export async function describeSchema(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(SCHEMA);
  return rows.map(({ line }) => line);
}

const SCHEMA = `
  with relation as (
    select * from pg_class where relnamespace = 'public'::regnamespace and relname not like 'schema_migration%'
      and not relispartition)
  select concat_ws(' ', 'relation', relname, relkind, 'row security', relrowsecurity, relforcerowsecurity,
      coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))) as line
    from relation
  union all
  select concat_ws(' ', 'column', relname, attname, format_type(atttypid, atttypmod), 'not null', attnotnull,
      'identity', attidentity, attgenerated, pg_get_expr(adbin, adrelid), attacl)
    from relation join pg_attribute on attrelid = relation.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relkind in ('r', 'p', 'v')
  union all
  select concat_ws(' ', 'index', pg_get_indexdef(indexrelid)) from pg_index join relation on relation.oid = indrelid
  union all
  select concat_ws(' ', 'constraint', relname, conname, pg_get_constraintdef(pg_constraint.oid), convalidated)
    from pg_constraint join relation on relation.oid = conrelid
  union all
  select concat_ws(' ', 'trigger', pg_get_triggerdef(pg_trigger.oid), tgenabled)
    from pg_trigger join relation on relation.oid = tgrelid where not tgisinternal
  union all
  select concat_ws(' ', 'policy', relname, polname, polcmd, polpermissive,
      (select string_agg(case role when 0 then 'public' else role::regrole::text end, ' ') from unnest(polroles) role),
      'using', pg_get_expr(polqual, polrelid), 'check', pg_get_expr(polwithcheck, polrelid))
    from pg_policy join relation on relation.oid = polrelid
  union all
  select concat_ws(' ', 'function', pg_get_functiondef(oid),
    -- The order of the privileges has no meaning.
    array(select privilege::text from unnest(coalesce(proacl, acldefault('f', proowner))) as privilege order by 1))
    from pg_proc where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
  order by 1`;
