import { execFileSync } from 'node:child_process';
import pg from 'pg';
import { startPostgresqlServer, type PostgresqlServer } from '../../support/postgresql.setup.js';
import { CORES, cpuMicroseconds, pin } from './machine.js';

export const JWT_SECRET = 'a secret that is only used by benchmarks!';

/** What the service logs in as; it owns nothing. */
const SERVICE = { username: 'scheduling_app', password: 'scheduling_app' };

/** The server and database of a run. */
export class Database {
  private constructor(
    private readonly server: PostgresqlServer,
    /** As the owner of the tables. */
    readonly ownerUrl: string,
    readonly owner: pg.Client,
  ) {}

  /** A server of its own with PostgreSQL's default settings, away from the core of what is measured, migrated by the product. */
  static async start(): Promise<Database> {
    const server = await startPostgresqlServer();
    pin(server.pid, CORES?.others);
    const ownerUrl = Object.assign(new URL(server.url), { pathname: '/bench' }).href;
    await onServer(server.url, 'create database bench');
    const environment = { ...process.env, DATABASE_URL: ownerUrl, JWT_SECRET };
    execFileSync(process.execPath, ['dist/src/cli/migrate.js'], { env: environment, stdio: 'pipe' });
    await onServer(ownerUrl, `alter role ${SERVICE.username} login password '${SERVICE.password}'`);
    const owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    return new Database(server, ownerUrl, owner);
  }

  /** As the service, under row-level security. */
  get url(): string {
    return Object.assign(new URL(this.ownerUrl), SERVICE).href;
  }

  /** CPU that all processes of the server have used, in microseconds. */
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

  /** Puts off nothing that would fall into a measurement. */
  async settle(): Promise<void> {
    await this.owner.query('vacuum analyze');
    await this.owner.query('checkpoint');
  }

  async stop(): Promise<void> {
    await this.owner.end();
    await this.server.stop();
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
