import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './postgresql.setup.js';

/** Few shards, so that a database is made fast. Each worker has several. */
const SHARDS = 4;
const SETTINGS = [
  `listen_addresses = '127.0.0.1'`,
  `unix_socket_directories = ''`,
  `shared_preload_libraries = 'citus'`,
  'max_connections = 300',
  'max_prepared_transactions = 300',
  'fsync = off',
  'citus.enable_statistics_collection = off',
  `citus.node_conninfo = 'sslmode=disable'`,
  // Many databases are open at the same time, and each would have connections of its own to each worker.
  'citus.max_cached_conns_per_worker = 1',
  // Statements that reach several servers are in the log of the coordinator.
  `citus.multi_task_query_log_level = 'log'`,
  `log_line_prefix = '%d %u %p '`,
];

const isRoot = process.getuid?.() === 0;

/** A server of a cluster. */
export type CitusNode = {
  url: string;
  logFile: string;
  /** The process id of the postmaster. */
  pid: number;
  start(): void;
  kill(): void;
};

/** A coordinator, which is the first node, and workers, on this machine. */
export type CitusCluster = { nodes: readonly CitusNode[]; stop(): void };

/**
 * @param programs directory of the programs of a PostgreSQL with Citus
 * @param settings lines of `postgresql.conf` that replace those of the tests
 */
export async function startCitusCluster(
  programs: string,
  { workerCount = 2, settings = [] }: { workerCount?: number; settings?: readonly string[] } = {},
): Promise<CitusCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'care-citus-'));
  chmodSync(directory, 0o755);
  if (isRoot) chownSync(directory, Number(idOf('-u')), Number(idOf('-g')));
  const names = ['coordinator', ...Array.from({ length: workerCount }, (_, index) => `worker-${index + 1}`)];
  const nodes: CitusNode[] = [];
  for (const name of names) nodes.push(await startNode(programs, join(directory, name), settings));
  return {
    nodes,
    stop() {
      for (const node of nodes) node.kill();
      const kept = process.env['CITUS_LOG'];
      if (kept !== undefined) cpSync(nodes[0]!.logFile, kept);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startNode(programs: string, data: string, settings: readonly string[]): Promise<CitusNode> {
  const port = await freePort();
  const logFile = `${data}.log`;
  const run = (program: string, ...words: string[]) => runAsOwner(join(programs, program), words);
  run('initdb', '--pgdata', data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C');
  appendFileSync(join(data, 'postgresql.conf'), [...SETTINGS, ...settings, `port = ${port}`, ''].join('\n'));
  const start = () => {
    run('pg_ctl', '--pgdata', data, '--log', logFile, '--wait', 'start');
  };
  start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    logFile,
    get pid() {
      return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    },
    start,
    kill() {
      try {
        run('pg_ctl', '--pgdata', data, '--mode=immediate', '--wait', 'stop');
      } catch {
        // It does not run.
      }
    },
  };
}

/**
 * Returns the reason why PostgreSQL cannot load Citus, for example because Citus was built for a newer version, or
 * undefined if it can.
 */
export function findCitusLoadError(programs: string): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'care-citus-'));
  if (isRoot) chownSync(directory, Number(idOf('-u')), Number(idOf('-g')));
  try {
    const data = join(directory, 'data');
    runAsOwner(join(programs, 'initdb'), ['--pgdata', data, '--no-sync', '--auth=trust']);
    runAsOwner(
      join(programs, 'postgres'),
      ['--single', '-D', data, '-c', 'shared_preload_libraries=citus', 'postgres'],
      'pipe',
    );
    return undefined;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr: Buffer | null };
    return /FATAL: *(.*)/.exec(String(stderr))?.[1] ?? message;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** PostgreSQL does not run as root. */
function runAsOwner(program: string, words: readonly string[], stderr: 'ignore' | 'pipe' = 'ignore'): void {
  const as = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];
  const [command, ...rest] = [...(isRoot ? as : []), program, ...words];
  // A server that pg_ctl starts would keep its output open.
  execFileSync(command!, rest, {
    stdio: ['ignore', 'ignore', stderr],
    cwd: tmpdir(),
    env: { ...process.env, HOME: tmpdir() },
  });
}

function idOf(option: '-u' | '-g'): string {
  return execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }).trim();
}

/** Creates a database with Citus on each node, and makes the nodes known to the coordinator. Returns its URL. */
export async function createClusterDatabase(urls: readonly string[], name: string): Promise<string> {
  await onEachNode(urls, `create database ${name}`);
  return addCitus(urls, name);
}

/** Adds Citus to a database that each node has. Returns its URL on the coordinator. */
export async function addCitus(urls: readonly string[], name: string): Promise<string> {
  const addresses = urls.map((url) => new URL(url));
  const databases = addresses.map((address) => Object.assign(new URL(address), { pathname: `/${name}` }).href);
  await onEachNode(databases, 'create extension citus');
  const [coordinator, ...workers] = addresses;
  const statements = [
    `select citus_set_coordinator_host('${coordinator!.hostname}', ${coordinator!.port})`,
    ...workers.map(({ hostname, port }) => `select citus_add_node('${hostname}', ${port})`),
  ];
  for (const statement of statements) await onEachNode([databases[0]!], statement);
  return databases[0]!;
}

/** Makes databases copy this one. Nothing may be connected to a database that is copied, not even Citus itself. */
export async function makeClusterTemplate(urls: readonly string[], name: string): Promise<void> {
  await onEachNode(urls, `update pg_database set datallowconn = false where datname = '${name}'`);
  await onEachNode(urls, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
}

/** Executes a statement on each node. */
export async function onEachNode(urls: readonly string[], statement: string): Promise<void> {
  for (const connectionString of urls) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }
}

/** Distributes a migrated database, or returns it with `--undo`, with the command of the service. */
export function distributeDatabase(url: string, ...words: string[]): string {
  const options = words.includes('--undo') ? words : ['--shards', String(SHARDS), ...words];
  return execFileSync(process.execPath, ['dist/src/cli/distribute.js', ...options], {
    env: { ...process.env, DATABASE_URL: url, JWT_SECRET: 'a secret that is only used by tests!!' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
