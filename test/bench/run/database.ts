import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startPostgresqlServer, type PostgresqlServer } from '../../support/database/postgresql.setup.js';
import { CORE_ASSIGNMENT, cpuMicroseconds, pinToCores } from './machine.js';

export const JWT_SECRET = 'a secret that is only used by benchmarks!';
/** The token settings that a server requires in production. */
export const TOKEN_VARIABLES = { JWT_SECRET, JWT_ISSUER: 'https://id.example.org', JWT_AUDIENCE: 'care-scheduling' };

/** The login of the service, which owns no tables. */
const SERVICE = { username: 'scheduling_app', password: 'scheduling_app' };

const MAIN = 'bench';

/**
 * The database counts as quiet when `looks` consecutive checks find no statement or transaction. Waiting fails after
 * `mostLooks` checks.
 */
const QUIET = { looks: 3, apartMs: 10, mostLooks: 6_000 };

/** The PostgreSQL server of a run. */
export class BenchmarkDatabase {
  private constructor(
    private readonly server: PostgresqlServer,
    readonly owner: pg.Client,
  ) {}

  /**
   * Starts a server with PostgreSQL's default settings, apart from `sharedBuffers`. It does not use the core of the
   * measured process.
   */
  static async start(sharedBuffers?: string): Promise<BenchmarkDatabase> {
    const server = await startPostgresqlServer();
    if (sharedBuffers !== undefined) {
      await onServer(server.url, `alter system set shared_buffers = '${sharedBuffers}'`);
      await server.restart();
    }
    pinToCores(server.pid, CORE_ASSIGNMENT?.others);
    const owner = new pg.Client({ connectionString: await create(server, MAIN) });
    await owner.connect();
    // An interrupted run stops the server before its clients disconnect.
    owner.on('error', () => undefined);
    await owner.query(`alter role ${SERVICE.username} login password '${SERVICE.password}'`);
    return new BenchmarkDatabase(server, owner);
  }

  /**
   * Creates a database that is empty or a copy of another one, to which nothing may be connected. Returns its URL for
   * the owner.
   */
  create(name: string, template?: string): Promise<string> {
    return create(this.server, name, template);
  }

  async drop(name: string): Promise<void> {
    await onServer(this.server.url, `drop database ${name} with (force)`);
  }

  /** Connects to a database that `create` has returned. The caller ends the connection. */
  async connect(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Moves the server to these cores; by default, to all cores except that of the measured process. */
  useCores(cores = CORE_ASSIGNMENT?.others): void {
    pinToCores(this.server.pid, cores);
  }

  /** Returns the URL with the login of the service, which is subject to row-level security. */
  urlOf(name = MAIN): string {
    return Object.assign(new URL(this.server.url), { pathname: `/${name}`, ...SERVICE }).href;
  }

  /** Changes settings that do not need a restart. Without a value, a setting has its default again. */
  async configure(settings: Readonly<Record<string, string | undefined>>): Promise<void> {
    for (const [name, value] of Object.entries(settings))
      await this.owner.query(`alter system ${value === undefined ? `reset ${name}` : `set ${name} = '${value}'`}`);
    await this.owner.query('select pg_reload_conf()');
  }

  /** The directory of the server's files. */
  async dataDirectory(): Promise<string> {
    const { rows } = await this.owner.query<{ data_directory: string }>('show data_directory');
    return rows[0]!.data_directory;
  }

  /** CPU time of all server processes, in microseconds. */
  get cpu(): number {
    return cpuMicroseconds(this.server.pid, true);
  }

  async settings(): Promise<Record<string, string>> {
    const { rows } = await this.owner.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name in
        ('server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'full_page_writes', 'max_wal_size')`,
    );
    return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
  }

  /** Runs pending maintenance now, so that it does not fall into a measurement. */
  async runMaintenance(): Promise<void> {
    await this.owner.query('vacuum analyze');
    await this.owner.query('checkpoint');
  }

  /**
   * Waits for transactions that are still open after a load. If a server were paused while it has an open transaction,
   * the next server would wait for its locks, and connections would time out.
   */
  async waitUntilQuiet(): Promise<void> {
    for (let [look, quiet] = [0, 0]; quiet < QUIET.looks; look += 1) {
      if (look === QUIET.mostLooks) throw new Error('the servers do not come to rest');
      const { rowCount } = await this.owner.query(
        `select from pg_stat_activity
          where backend_type = 'client backend' and state <> 'idle'
            and pid <> pg_backend_pid()`,
      );
      quiet = rowCount === 0 ? quiet + 1 : 0;
      await delay(QUIET.apartMs);
    }
  }

  async stop(): Promise<void> {
    await this.owner.end();
    await this.server.stop();
  }
}

async function create(server: PostgresqlServer, name: string, template?: string): Promise<string> {
  await onServer(server.url, `create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  const url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  if (template !== undefined) return url;
  const environment = { ...process.env, DATABASE_URL: url, JWT_SECRET };
  execFileSync(process.execPath, ['dist/src/cli/migrate.js'], { env: environment, stdio: 'pipe' });
  return url;
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
