import { findRunningInstances } from '../../instance/index.js';
import { refuseMigrationIfDistributed, withOwnerConnection } from '../../ops/index.js';
import { readEnvironmentWithoutKeys } from '../../shared/config/command-environment.js';
import {
  DatabaseDistribution,
  requireCurrentSchema,
  type DistributionOptions,
  type Orm,
} from '../../shared/persistence/index.js';
import { parseCommandLine, printDatabase, printLine, UsageError } from '../command-line.js';
import { runCommand } from '../run-command.js';

const DEFAULT_SHARDS = 32;
const MAX_SHARDS = 1_024;

const HELP = `npm run distribute [-- --dry-run] [--shards N] [--undo]: distributes the tables of a PostgreSQL database with
Citus over its workers, by Clinic. The queue and the audit trail stay on the coordinator. No instance may be running.

  --dry-run   lists the steps that are left, and changes nothing
  --shards N  number of parts of each table, ${DEFAULT_SHARDS} by default. It limits the number of workers, and cannot change later
  --undo      moves all tables back to the coordinator

After an interruption, run the command again: it continues with the first step that is not done. Take a backup first.`;

await runCommand(async () => {
  const { values } = parseCommandLine(HELP, {
    'dry-run': { type: 'boolean', default: false },
    shards: { type: 'string' },
    undo: { type: 'boolean', default: false },
  });
  if (values.undo && values.shards !== undefined)
    throw new UsageError('--undo and --shards exclude each other. See --help.');
  const shardCount = Number(values.shards ?? DEFAULT_SHARDS);
  if (!Number.isInteger(shardCount) || shardCount < 1 || shardCount > MAX_SHARDS)
    throw new UsageError(`--shards must be an integer from 1 to ${MAX_SHARDS}.`);
  const { database } = readEnvironmentWithoutKeys();
  printDatabase(database);
  if (database.kind === 'embedded') throw new UsageError('The embedded database cannot be distributed.');
  await withOwnerConnection(database, (orm) => distribute(orm, { isUndo: values.undo, shardCount }, values['dry-run']));
});

async function distribute(orm: Orm, options: DistributionOptions, isDryRun: boolean): Promise<void> {
  const distribution = new DatabaseDistribution(orm);
  await refuseMigrationIfDistributed(orm);
  await requireCurrentSchema(orm);
  await distribution.requireCluster();
  if (!options.isUndo) await distribution.requireNoMoves();
  const steps = await distribution.findPendingSteps(options);
  if (isDryRun) {
    for (const { table, rows } of await distribution.estimateRows()) printLine(`${table}: about ${rows} row(s)`);
    for (const { description } of steps) printLine(`would ${description}`);
    printLine(`dry run: ${steps.length} step(s) are left, nothing was changed`);
    return;
  }
  const serving = await findRunningInstances(orm);
  if (serving.length > 0) throw new UsageError(`${serving.length} instance(s) use this database: stop them first.`);
  for (const [index, step] of steps.entries()) {
    const startedAt = performance.now();
    await distribution.run(step);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    printLine(`${index + 1}/${steps.length} ${step.description} (${seconds} s)`);
  }
  printLine(`${steps.length} step(s) done`);
}
