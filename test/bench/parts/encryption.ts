import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TOKEN_VARIABLES } from '../run/database.js';
import { requireAtLeast, type BenchmarkContext, type BenchmarkPart, type ReportSection } from '../run/section.js';
import { seedDatabase } from '../run/seed.js';
import { PRODUCT_VARIANT, type ServiceVariant } from '../run/server.js';
import { formatRounded, formatRatio, formatSpread } from '../run/table.js';
import { Throughput, type MeasuredVariant } from '../run/throughput.js';
import { RequestGenerator, WORKLOADS } from '../run/workloads.js';

/** The required throughput with encryption, as a share of the throughput without encryption. */
const LEAST: Readonly<Record<string, number>> = { plan: 0.9, session: 0.9, sessions: 0.9, list: 0.8, week: 0.8 };
const [CLEAR, ENCRYPTED] = ['bench_clear', 'bench_encrypted'];

/** Measures the product with and without encryption in the same run, on two databases with the same rows. */
export const encryptionPart: BenchmarkPart = {
  name: 'encryption',
  title: 'The product with encrypted fields, beside itself without',
  async run(bench) {
    const directory = mkdtempSync(join(tmpdir(), 'bench-keys-'));
    const keys = {
      ENCRYPTION: 'on',
      ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 5).toString('base64')}`,
      ENCRYPTION_KEY_DIRECTORY: directory,
    };
    try {
      return sectionOf(await measure(bench, keys));
    } finally {
      for (const name of [CLEAR, ENCRYPTED]) await bench.database.drop(name).catch(() => undefined);
      rmSync(directory, { recursive: true });
    }
  },
};

async function measure(bench: BenchmarkContext, keys: Record<string, string>): Promise<MeasuredVariant[]> {
  const { database, options, tell } = bench;
  const blocks = [
    { clinics: 1, sessions: options.sessions },
    { clinics: 100, sessions: 200 },
  ];
  tell('encryption: rows that are there before');
  const clear = await database.create(CLEAR);
  const owner = await database.connect(clear);
  await seedDatabase(owner, blocks);
  await owner.query('vacuum analyze');
  await owner.end();
  const encrypted = await database.create(ENCRYPTED, CLEAR);
  tell('encryption: rows are encrypted');
  const env = { ...process.env, ...TOKEN_VARIABLES, ...keys, DATABASE_URL: encrypted };
  await promisify(execFile)(process.execPath, ['dist/src/cli/encrypt-rows.js'], { env });
  const copy = await database.connect(encrypted);
  await copy.query('vacuum full analyze');
  await copy.end();
  const variants: ServiceVariant[] = [
    { ...PRODUCT_VARIANT, name: 'clear', database: CLEAR },
    { ...PRODUCT_VARIANT, name: 'encrypted', database: ENCRYPTED, environment: keys },
  ];
  const scene = await RequestGenerator.of(database.owner, blocks);
  const workloads = WORKLOADS.filter(({ name }) => Object.hasOwn(LEAST, name));
  return new Throughput(database, scene, variants, options, tell).run(workloads);
}

function sectionOf(measured: readonly MeasuredVariant[]): ReportSection {
  const byWorkload = [...Map.groupBy(measured, ({ workload }) => workload)].map(([workload, own]) => {
    const of = (name: string) => own.find(({ variant }) => variant === name)!;
    return { workload, clear: of('clear'), encrypted: of('encrypted') };
  });
  return {
    ...{ name: encryptionPart.name, title: encryptionPart.title, figures: measured, charts: [] },
    header: ['', 'clear req/s', '(low–high)', 'encrypted req/s', '(low–high)', 'ratio', 'CPU ratio', 'failed'],
    rows: byWorkload.map(({ workload, clear, encrypted }) => [
      ...[workload, formatRounded(clear.requestsPerSecond.median), formatSpread(clear.requestsPerSecond)],
      ...[formatRounded(encrypted.requestsPerSecond.median), formatSpread(encrypted.requestsPerSecond)],
      ...[
        formatRatio(encrypted.requestsPerSecond, clear.requestsPerSecond),
        formatRatio(encrypted.serverCpu, clear.serverCpu),
      ],
      String(clear.failed + encrypted.failed),
    ]),
    verdicts: byWorkload.map(({ workload, clear, encrypted }) =>
      requireAtLeast(
        `${workload}, encrypted of clear`,
        encrypted.requestsPerSecond.median / clear.requestsPerSecond.median,
        LEAST[workload]!,
      ),
    ),
    notes: ['Both have the same rows. Data keys are cached after the first request for a Client.'],
  };
}
