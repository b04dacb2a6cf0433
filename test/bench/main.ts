import { writeFileSync } from 'node:fs';
import { requireAgreement } from './run/agreement.js';
import { Database } from './run/database.js';
import { CORES, describeMachine, pin } from './run/machine.js';
import { HELP, readOptions, UsageError, type BenchOptions } from './run/options.js';
import { ProgressLine } from './run/progress.js';
import { seed } from './run/seed.js';
import { COMMON, PRODUCT, YARDSTICK } from './run/server.js';
import { renderTable } from './run/table.js';
import { Throughput } from './run/throughput.js';
import { Scene, WORKLOADS } from './run/workloads.js';

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(HELP);
  else await bench(options);
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function bench(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  pin(process.pid, CORES?.others);
  const progress = new ProgressLine(process.stderr);
  progress.tell('PostgreSQL starts');
  const database = await Database.start();
  try {
    const workloads = WORKLOADS.filter(({ name }) => options.parts.includes(name));
    progress.tell('do all variants do the same?');
    await requireAgreement(
      database,
      [PRODUCT, YARDSTICK, COMMON],
      WORKLOADS.filter(({ name }) => name !== 'mixed'),
    );
    const blocks = [
      { clinics: 1, sessions: options.sessions },
      { clinics: 100, sessions: 200 },
    ];
    progress.tell('rows that are there before');
    await seed(database.owner, blocks);
    await database.settle();
    const scene = await Scene.of(database.owner, blocks);
    const throughput = new Throughput(database, scene, [YARDSTICK, PRODUCT, COMMON], options, (...told) =>
      progress.tell(...told),
    );
    const measured = await throughput.run(workloads);
    progress.end();
    process.stdout.write(`${renderTable(measured)}\n`);
    const report = { machine, database: await database.settings(), options, measured };
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await database.stop();
  }
}
