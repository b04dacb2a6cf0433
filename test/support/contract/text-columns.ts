import type pg from 'pg';

/**
 * Columns without personal data: constants of the service, IDs, times, digests, secrets, and network addresses of
 * callers.
 */
export const NEUTRAL = Object.entries({
  administrator_access: ['administrator', 'caller', 'ended_by'],
  audit_entry: ['access', 'actor_role', 'actor_subject', 'address', 'operation', 'outcome', 'records'],
  audit_pending_command: ['access', 'actor_subject', 'address', 'operation', 'records'],
  audit_retirement: ['hash'],
  audit_seal: ['entry_hashes', 'entry_ids', 'hash', 'previous_hash'],
  calendar_link: ['previous_secret_hash', 'secret_hash', 'titles'],
  care_provider: ['external_id_digest', 'locale', 'time_zone'],
  client: ['external_id_digest', 'locale', 'time_zone'],
  clinic: ['locale', 'time_zone'],
  clinic_move: ['direction', 'secret'],
  erasure: ['case_reference', 'counts', 'erased', 'reason', 'subject_kind'],
  idempotency_key: ['caller', 'fingerprint', 'id', 'records'],
  instance: ['release', 'zone_data_version'],
  legal_hold: ['case_reference', 'reason'],
  opt_out_link: ['owner_kind', 'secret_hash'],
  rate_limit_count: ['digest'],
  reminder: ['channel', 'reason', 'recipient_kind', 'rule', 'status', 'story', 'traceparent'],
  reminder_preference: ['channels', 'opt_out_token', 'opted_out', 'owner_kind', 'quiet_hours'],
  removed_record: ['name'],
  retention_setting: ['audit', 'homework', 'reminders', 'sessions'],
  revoked_token: ['jti'],
  revoked_token_holder: ['role', 'subject'],
  schema_migration: ['name', 'release'],
  session: ['cancel_reason', 'planned_date', 'planned_time', 'status', 'time_zone'],
  session_series: ['reminders'],
  zone_data: ['previous', 'version'],
}).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`));

/** Finds the columns of text in which no row contains the given text. Returns `table.column`, in alphabetical order. */
export async function findColumnsWithout(sql: pg.Client, text: string): Promise<string[]> {
  const { rows: columns } = await sql.query<{ table: string; column: string }>(`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'character varying', 'jsonb', 'json', 'ARRAY')
      and table_name not in (select relname from pg_class where relispartition) order by 1, 2`);
  const found: string[] = [];
  for (const { table, column } of columns) {
    const { rows } = await sql.query(`select from ${table} where position($1 in ${column}::text) > 0 limit 1`, [text]);
    if (rows.length === 0) found.push(`${table}.${column}`);
  }
  return found;
}
