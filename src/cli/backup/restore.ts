import type { Client } from 'pg';
import { recordCommandAtNextStart } from '../../audit/index.js';
import { CommandError } from '../command-error.js';
import { isDistributed, readAuditPartitions, type BackupTable } from './catalog.js';
import { inOwnerTransaction } from './connection.js';
import { copyFileToTable, quoteName } from './copy.js';
import { getDataFilePath, readManifest, type BackupManifest } from './manifest.js';
import { compareWithManifest, requireSameSchema } from './verify.js';

/**
 * Fills the empty tables of a migrated database from a backup and compares them with the manifest, in one transaction.
 *
 * @throws CommandError if the database is distributed, if a table has rows, or if the restored content differs from the
 * manifest
 */
export async function restoreBackup(directory: string): Promise<string> {
  const manifest = readManifest(directory);
  return inOwnerTransaction('begin', async (client) => {
    // Citus disables no triggers of distributed tables.
    if (await isDistributed(client))
      throw new CommandError(
        'A backup cannot be restored into a distributed database: run "npm run distribute -- --undo", restore it, and distribute it again.',
      );
    const tables = await requireSameSchema(client, manifest);
    await requireEmpty(client, tables);
    await restorePartitions(client, manifest);
    const enable = await disableTriggers(client);
    for (const table of tables) await copyFileToTable(client, table, getDataFilePath(directory, table));
    await client.query(enable);
    await client.query('select apply_id_range()');
    await setSequences(client, manifest);
    // Until the server analyzes the tables itself, it would plan statements as if they were almost empty.
    await client.query(`analyze ${tables.map(quoteName).join(', ')}`);
    const outcome = await compareWithManifest(client, manifest);
    await recordCommandAtNextStart({ name: 'restore', access: 'WRITE' }, (text, values) => client.query(text, values));
    return outcome;
  });
}

/**
 * A service that has started on the empty database has already stored a row in each of these tables. The rows of the
 * backup replace these rows, because the restored instants and encrypted texts depend on them.
 */
const PREFILLED_TABLES = ['zone_data', 'encryption_key_store'];

async function requireEmpty(client: Client, tables: BackupTable[]): Promise<void> {
  // The lock also blocks a service that is already running on this database.
  await client.query(`lock table ${tables.map(quoteName).join(', ')} in access exclusive mode`);
  for (const table of PREFILLED_TABLES) await client.query(`delete from ${table}`);
  for (const table of tables) {
    const { rows } = await client.query(`select from ${quoteName(table)} limit 1`);
    if (rows.length > 0) throw new CommandError(`${table.name} has rows: restore into an empty database.`);
  }
}

/**
 * Replaces the empty partitions with those of the backup, because the audit trail is later removed one partition at a
 * time. Their names and bounds come from a file, so they are passed as parameters.
 */
async function restorePartitions(client: Client, { partitions }: BackupManifest): Promise<void> {
  for (const partition of await readAuditPartitions(client)) await client.query(`drop table ${quoteName(partition)}`);
  for (const { name, lower, upper } of partitions)
    await client.query('select add_audit_partition($1, $2, $3)', [name, lower, upper]);
}

/**
 * Disables the triggers, because triggers that write, such as the trigger of the hash chain, would change the restored
 * rows.
 *
 * @returns SQL that re-enables each trigger in its previous mode
 */
async function disableTriggers(client: Client): Promise<string> {
  const { rows } = await client.query<{ disable: string; enable: string }>(`
    select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as disable,
      format('alter table %s enable %s trigger %I', tgrelid::regclass,
        case tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end, tgname) as enable
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and tgenabled <> 'D' and relnamespace = 'public'::regnamespace`);
  await client.query(rows.map(({ disable }) => disable).join(';'));
  return rows.map(({ enable }) => enable).join(';');
}

async function setSequences(client: Client, { sequences }: BackupManifest): Promise<void> {
  for (const { name, last } of sequences)
    if (last !== null) await client.query('select setval($1::regclass, $2)', [quoteName({ name }), last]);
}
