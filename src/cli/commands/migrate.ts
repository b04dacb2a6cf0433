import { createInterface } from 'node:readline/promises';
import { recordMigrateDown } from '../../audit/index.js';
import { findServingInstances } from '../../instance/index.js';
import { withOwnerConnection, describeStartupError, upgradeSchema } from '../../ops/index.js';
import { readEnvironment, type DatabaseEnvironment } from '../../shared/config/env.js';
import {
  lockDataDirectory,
  findLastBatch,
  migrateDown,
  requireNoDataLoss,
  MigrationDataLossError,
  type MigrationBatch,
  type Orm,
} from '../../shared/persistence/index.js';
import { readCommandLine, UsageError } from '../command-line.js';

const HELP = `npm run migrate [-- down [--destroy-data [--confirm NAME]]]: brings the schema of the database, and of the queue
in it, up to this release.

  down             takes back what the last upgrade has done, while no instance serves: all migrations that a release
                   has executed in one run, also where that run has skipped releases
  --destroy-data   also where rows would be lost
  --confirm NAME   the name of the database, to confirm that; asked for on a terminal`;

const OPTIONS = { 'destroy-data': { type: 'boolean', default: false }, confirm: { type: 'string' } } as const;

type Confirmation = { 'destroy-data': boolean; confirm?: string };

try {
  const { values, positionals } = readCommandLine(HELP, OPTIONS, [0, 1]);
  const [word] = positionals;
  if (word !== undefined && word !== 'down') throw new UsageError(`Unknown word "${word}". See --help.`);
  if (word === undefined && (values['destroy-data'] || values.confirm !== undefined))
    throw new UsageError('--destroy-data and --confirm belong to "down". See --help.');
  const { database } = readEnvironment();
  if (database.kind === 'embedded') lockDataDirectory(database.dataDir);
  await withOwnerConnection(database, async (orm) => {
    const down = word === 'down';
    const names = down ? await revertLastBatch(orm, database, values) : await upgradeSchema(orm, database);
    for (const name of names) process.stdout.write(`${down ? 'down' : 'up'} ${name}\n`);
    process.stdout.write(`${names.length} migration(s) done\n`);
  });
} catch (error) {
  const isClear = error instanceof UsageError || error instanceof MigrationDataLossError;
  process.stderr.write(`${isClear ? error.message : describeStartupError(error)}\n`);
  process.exitCode = 1;
}

async function revertLastBatch(orm: Orm, database: DatabaseEnvironment, values: Confirmation): Promise<string[]> {
  const serving = await findServingInstances(orm);
  if (serving.length > 0) throw new UsageError(`${serving.length} instance(s) serve this database: stop them first.`);
  const batch = await findLastBatch(orm);
  const { names } = batch;
  if (names.length === 0) return [];
  if (values['destroy-data']) await requireConfirmed(orm, values.confirm, batch);
  else await requireNoDataLoss(orm, database, names);
  await recordMigrateDown(orm.em, database);
  return migrateDown(orm, database, names);
}

async function requireConfirmed(orm: Orm, confirm: string | undefined, batch: MigrationBatch): Promise<void> {
  const statement = 'select current_database() as name';
  const rows = (await orm.em.fork().getConnection().execute(statement)) as { name: string }[];
  const { name } = rows[0]!;
  const release = batch.release === null ? 'an older release' : `release ${batch.release}`;
  const question = `Takes back ${batch.names.length} migration(s) of ${release}. Type ${name} to destroy their data: `;
  const given = confirm ?? (process.stdin.isTTY ? await askOnTerminal(question) : undefined);
  if (given !== name) throw new UsageError(`Confirm with the name of the database: --confirm ${name}`);
}

async function askOnTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
