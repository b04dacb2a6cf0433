import { createInterface } from 'node:readline/promises';
import { recordMigrateDownCommand } from '../../audit/index.js';
import { findRunningInstances } from '../../instance/index.js';
import { ONLINE_PREPARATIONS } from '../../migrations/online-preparations.js';
import { withOwnerConnection, refuseMigrationIfDistributed, upgradeSchema } from '../../ops/index.js';
import { readEnvironmentWithoutKeys } from '../../shared/config/command-environment.js';
import type { DatabaseEnvironment } from '../../shared/config/env.js';
import {
  lockDataDirectory,
  findLastBatch,
  migrateDown,
  prepareOnline,
  requireNoDataLoss,
  type MigrationBatch,
  type Orm,
} from '../../shared/persistence/index.js';
import { parseCommandLine, printDatabase, UsageError } from '../command-line.js';
import { runCommand } from '../run-command.js';

const HELP = `npm run migrate [-- down [--destroy-data [--confirm NAME]]]: migrates the schema of the database and of the queue
to this release. Logs in as the owner (MIGRATION_DATABASE_URL).

  down             reverts the last upgrade, that is all migrations of its run. No instance may be running
  --destroy-data   allows to lose rows
  --confirm NAME   confirms --destroy-data with the name of the database; on a terminal, the command asks for it`;

const OPTIONS = { 'destroy-data': { type: 'boolean', default: false }, confirm: { type: 'string' } } as const;

type Confirmation = { 'destroy-data': boolean; confirm?: string };

await runCommand(async () => {
  const { values, positionals } = parseCommandLine(HELP, OPTIONS, 1);
  const [action] = positionals;
  if (action !== undefined && action !== 'down') throw new UsageError(`Unknown argument "${action}". See --help.`);
  if (action === undefined && (values['destroy-data'] || values.confirm !== undefined))
    throw new UsageError('--destroy-data and --confirm need "down". See --help.');
  const { database } = readEnvironmentWithoutKeys();
  printDatabase(database);
  if (database.kind === 'embedded') lockDataDirectory(database.dataDir);
  await withOwnerConnection(database, async (orm) => {
    const isDown = action === 'down';
    await refuseMigrationIfDistributed(orm, isDown);
    // The previous release can serve requests meanwhile. An embedded database has no other instances.
    if (!isDown && database.kind === 'postgresql') await prepareOnline(orm, ONLINE_PREPARATIONS);
    const names = isDown ? await revertLastBatch(orm, database, values) : await upgradeSchema(orm, database);
    for (const name of names) process.stdout.write(`${isDown ? 'down' : 'up'} ${name}\n`);
    process.stdout.write(`${names.length} migration(s) done\n`);
  });
});

async function revertLastBatch(orm: Orm, database: DatabaseEnvironment, values: Confirmation): Promise<string[]> {
  const running = await findRunningInstances(orm);
  if (running.length > 0) throw new UsageError(`${running.length} instance(s) use this database: stop them first.`);
  const batch = await findLastBatch(orm);
  const { names } = batch;
  if (names.length === 0) return [];
  if (values['destroy-data']) await requireConfirmed(orm, values.confirm, batch);
  else await requireNoDataLoss(orm, database, names);
  await recordMigrateDownCommand(orm.em, database);
  return migrateDown(orm, database, names);
}

async function requireConfirmed(orm: Orm, confirm: string | undefined, batch: MigrationBatch): Promise<void> {
  const statement = 'select current_database() as name';
  const rows = (await orm.em.fork().getConnection().execute(statement)) as { name: string }[];
  const { name } = rows[0]!;
  const release = batch.release === null ? 'an older release' : `release ${batch.release}`;
  const question = `This reverts ${batch.names.length} migration(s) of ${release}. Type ${name} to destroy their data: `;
  const answer = confirm ?? (process.stdin.isTTY ? await askOnTerminal(question) : undefined);
  if (answer !== name) throw new UsageError(`Confirm with the name of the database: --confirm ${name}`);
}

async function askOnTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
