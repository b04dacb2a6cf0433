import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { addCitus, onEachNode, startCitusCluster, type CitusCluster } from '../../support/database/citus.js';
import { createMigratedDatabase } from '../../support/database/postgresql.setup.js';
import { asGb, DiskReserve, DiskSpaceError } from '../run/disk-reserve.js';
import { ALL_CORES, CORE_ASSIGNMENT, pinToCores } from '../run/machine.js';
import { requireAtMost, type BenchmarkContext, type BenchmarkPart, type ReportSection } from '../run/section.js';
import { CARE_PROVIDERS, CLIENTS, seedDatabase } from '../run/seed.js';
import { formatRounded } from '../run/table.js';
import { RequestGenerator } from '../run/workloads.js';
import { measureOperations, type OperationCosts } from './cluster-costs.js';
import { bytesOfSessions, fillSessions, SETTINGS_OF_FILL } from './growth-rows.js';

const CLINICS = 1_000;
const LARGEST = 1_000;
/** Of each of the three servers. They write to disk as in production, other than those of the tests. */
const SETTINGS = ['fsync = on', `shared_buffers = '1GB'`, `max_wal_size = '4GB'`];

/** The same operations on one server and on a cluster, with the same rows. */
type ClusterResult = {
  sessions: number;
  bytes: number;
  /** How long `npm run distribute` took. */
  distributeSeconds: number;
  steps: string[];
  oneServer: OperationCosts;
  cluster: OperationCosts;
};

/** Measures what an operation costs on one server, and on the same database after it was distributed with Citus. */
export const clusterPart: BenchmarkPart = {
  name: 'cluster',
  title: `One server, and a coordinator with two workers: Sessions of ${formatRounded(CLINICS)} Clinics`,
  async run(bench) {
    const programs = process.env['CITUS_PROGRAMS'];
    if (programs === undefined) return sectionOf([], ['Skipped: CITUS_PROGRAMS=<directory of the programs>.']);
    const cluster = await startCitusCluster(programs, { settings: SETTINGS });
    const found: ClusterResult[] = [];
    const notes: string[] = [];
    try {
      for (const sessions of bench.options.clusterSizes) found.push(await measure(bench, cluster, sessions));
    } catch (error) {
      if (!(error instanceof DiskSpaceError)) throw error;
      notes.push(`Stopped: ${error.message}.`);
    } finally {
      cluster.stop();
    }
    return sectionOf(found, notes);
  },
};

/** Each size has a database of its own, because a distributed one cannot be filled as fast. */
async function measure(bench: BenchmarkContext, cluster: CitusCluster, sessions: number): Promise<ClusterResult> {
  const tell = (text: string, done?: number, all?: number) => bench.tell(`cluster: ${text}`, done, all);
  const urls = cluster.nodes.map(({ url }) => url);
  const name = `cluster_${sessions}`;
  const url = await createMigratedDatabase(urls[0]!, name);
  const reserve = new DiskReserve(new URL('.', `file://${cluster.nodes[0]!.logFile}`).pathname, bench.options.keepFree);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  useCores(cluster, ALL_CORES);
  const scene = await fill(owner, url, { sessions, reserve, tell });
  const bytes = await bytesOfSessions(owner);
  useCores(cluster, CORE_ASSIGNMENT?.others);
  const context = {
    url,
    nodes: cluster.nodes,
    scene,
    careProviders: CLINICS * CARE_PROVIDERS,
    calls: bench.options.growthCalls,
  };
  const title = `${formatRounded(sessions)} Sessions`;
  const oneServer = await measureOperations({
    ...context,
    tell: (...told) => tell(`${title}, one server, ${told[0]}`, told[1], told[2]),
  });
  useCores(cluster, ALL_CORES);
  // A table has its old and its new rows until it is distributed.
  reserve.requireRoomFor(bytes * 2);
  await onEachNode(urls.slice(1), `create database ${name}`);
  await addCitus(urls, name);
  const { seconds, steps } = await distribute(url, (line) => tell(`${title}, distribute ${line}`));
  await onEachNode(
    urls.map((node) => Object.assign(new URL(node), { pathname: `/${name}` }).href),
    'vacuum analyze',
  );
  await onEachNode(urls, 'checkpoint');
  useCores(cluster, CORE_ASSIGNMENT?.others);
  const distributed = await measureOperations({
    ...context,
    tell: (...told) => tell(`${title}, cluster, ${told[0]}`, told[1], told[2]),
  });
  await owner.end();
  await onEachNode(urls, `drop database ${name} with (force)`);
  return { sessions, bytes, distributeSeconds: seconds, steps, oneServer, cluster: distributed };
}

type Fill = { sessions: number; reserve: DiskReserve; tell: (text: string, done?: number, all?: number) => void };

async function fill(owner: pg.Client, url: string, { sessions, reserve, tell }: Fill): Promise<RequestGenerator> {
  const blocks = [
    { clinics: 1, sessions: LARGEST },
    { clinics: CLINICS - 1, sessions: 0 },
  ];
  tell(`${formatRounded(CLINICS)} Clinics with ${CLIENTS} Clients`);
  await seedDatabase(owner, blocks);
  for (const [name, value] of Object.entries(SETTINGS_OF_FILL))
    await owner.query(`alter system set ${name} = '${value}'`);
  await owner.query('select pg_reload_conf()');
  await fillSessions(owner, url, { from: LARGEST, to: sessions, clinics: CLINICS }, reserve, tell);
  tell(`${formatRounded(sessions)} Sessions, statistics`);
  await owner.query('vacuum analyze');
  for (const name of Object.keys(SETTINGS_OF_FILL)) await owner.query(`alter system reset ${name}`);
  await owner.query('select pg_reload_conf()');
  await owner.query('checkpoint');
  return RequestGenerator.of(owner, blocks);
}

/** Runs the command of the service. Returns the lines that it printed. */
async function distribute(url: string, tell: (line: string) => void): Promise<{ seconds: number; steps: string[] }> {
  const begin = performance.now();
  const child = spawn(process.execPath, ['dist/src/cli/distribute.js'], {
    env: { ...process.env, DATABASE_URL: url, JWT_SECRET: 'a secret that is only used by benchmarks!' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const steps: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    steps.push(line);
    tell(line);
  }
  if ((await ended) !== 0) throw new Error('npm run distribute fails');
  return { seconds: (performance.now() - begin) / 1000, steps };
}

function useCores({ nodes }: CitusCluster, cores: string | undefined): void {
  for (const { pid } of nodes) pinToCores(pid, cores);
}

function sectionOf(found: readonly ClusterResult[], notes: readonly string[]): ReportSection {
  const milliseconds = (value: number) => value.toFixed(2);
  const rows = found.flatMap(({ sessions, oneServer, cluster }) =>
    Object.entries({ 'one server': oneServer, cluster }).flatMap(([place, costs]) =>
      costs.map(({ name, median, p99, cpu, perSecond }) => [
        ...[name, `${formatRounded(sessions)} Sessions, ${place}`, milliseconds(median), milliseconds(p99)],
        ...[cpu.service, cpu.coordinator, cpu.workers].map(milliseconds),
        formatRounded(perSecond),
      ]),
    ),
  );
  return {
    ...{ name: clusterPart.name, title: clusterPart.title, figures: found, charts: [] },
    header: ['', '', 'median ms', 'p99 ms', 'service CPU ms', 'coordinator CPU ms', 'workers CPU ms', 'req/s'],
    rows,
    verdicts: found.map(({ sessions, cluster }) =>
      requireAtMost(
        `statements to several shards, ${formatRounded(sessions)} Sessions`,
        cluster.reduce((sum, { severalShards }) => sum + severalShards.length, 0),
        0,
      ),
    ),
    notes: [
      ...found.map(
        ({ sessions, bytes, distributeSeconds }) =>
          `${formatRounded(sessions)} Sessions have ${asGb(bytes)} on one server; npm run distribute took ${formatRounded(distributeSeconds)} s.`,
      ),
      ...found.flatMap(({ cluster }) =>
        cluster.flatMap(({ name, severalShards }) => severalShards.map((text) => `${name}: ${text}`)),
      ),
      'The first request of a person looks their Clinic up on all servers; every other row is of people who are known. Statements of jobs are not counted.',
      ...notes,
    ],
  };
}
