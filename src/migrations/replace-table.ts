/**
 * Returns the statement that gives a new table what the service needs from the table that it replaces: its policies,
 * privileges, triggers, and indexes other than the primary key. They are read from the catalog, so that what other
 * migrations have added is included. The new indexes take over the names of the old ones, which get a prefix.
 */
export function copyTableProperties(oldName: string, newName: string, prefix: string): string {
  return `
    do $$ declare item record; begin
      for item in select * from pg_policies where schemaname = current_schema() and tablename = '${oldName}' loop
        execute format('create policy %I on ${newName} as %s for %s to %s', item.policyname, item.permissive, item.cmd,
            (select string_agg(case role when 'public' then role else quote_ident(role) end, ', ')
              from unnest(item.roles::text[]) as role))
          || coalesce(' using (' || item.qual || ')', '') || coalesce(' with check (' || item.with_check || ')', '');
      end loop;
      for item in
        select privilege_type, grantee::regrole as grantee from pg_class, aclexplode(relacl)
        where pg_class.oid = '${oldName}'::regclass and grantee <> relowner
      loop
        execute format('grant %s on ${newName} to %s', item.privilege_type, item.grantee);
      end loop;
      for item in
        select attname, privilege_type, grantee::regrole as grantee from pg_attribute, aclexplode(attacl)
        where attrelid = '${oldName}'::regclass and attnum > 0 and not attisdropped
      loop
        execute format('grant %s (%I) on ${newName} to %s', item.privilege_type, item.attname, item.grantee);
      end loop;
      for item in
        select pg_get_triggerdef(oid) as definition from pg_trigger
        where tgrelid = '${oldName}'::regclass and not tgisinternal order by tgname
      loop
        execute regexp_replace(item.definition, ' ON \\S+ ', ' ON ${newName} ');
      end loop;
      for item in
        select relname::text as name, pg_get_indexdef(pg_class.oid) as definition
        from pg_index join pg_class on pg_class.oid = indexrelid
        where indrelid = '${oldName}'::regclass and not indisprimary order by relname
      loop
        execute format('alter index %I rename to %I', item.name, '${prefix}' || item.name);
        execute regexp_replace(item.definition, ' ON (ONLY )?\\S+ ', ' ON ${newName} ');
      end loop;
    end $$`;
}
