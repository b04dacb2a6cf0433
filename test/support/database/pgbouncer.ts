import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DATABASE_LOGINS, SHARED_LOGIN_ROLE } from '../../../src/shared/persistence/index.js';
import { freePort } from './postgresql.setup.js';

const TIMEOUTS = `set statement_timeout = 15000; set lock_timeout = 8000; set idle_in_transaction_session_timeout = 30000`;
const PLANNER = `set enable_seqscan = off; set enable_bitmapscan = off; set jit = off`;

export type Pgbouncer = { port: number; stop(): Promise<void> };

/**
 * Starts PgBouncer in transaction mode, with the settings in docs/operations.md, "PgBouncer". Each database has the
 * same name in PgBouncer as on the server.
 *
 * @param queueOf database to which the queue connects under the name `queue`
 */
export async function startPgbouncer({ hostname, port: serverPort }: URL, queueOf?: string): Promise<Pgbouncer> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'care-pgbouncer-'));
  chmodSync(directory, 0o755);
  const users = join(directory, 'users.txt');
  const accounts = ['postgres', SHARED_LOGIN_ROLE, ...Object.values(DATABASE_LOGINS).map(({ role }) => role)];
  writeFileSync(users, accounts.map((account) => `"${account}" "${account}"\n`).join(''));
  const server = `host=${hostname} port=${serverPort}`;
  const queue = queueOf === undefined ? '' : `queue = ${server} dbname=${queueOf} connect_query='${PLANNER}'`;
  const configuration = join(directory, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    `
[databases]
${queue}
* = ${server} connect_query='${TIMEOUTS}'

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
max_prepared_statements = 500
ignore_startup_parameters = options, statement_timeout, lock_timeout, idle_in_transaction_session_timeout
default_pool_size = 20
max_client_conn = 1000
server_idle_timeout = 20
log_connections = 0
log_disconnections = 0
${process.getuid?.() === 0 ? 'user = postgres' : ''}
`,
  );
  const child = spawn(process.env['PGBOUNCER']!, [configuration], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk) => (log = `${log}${String(chunk)}`.slice(-4_000)));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer has ended: ${log}`);
    await delay(50);
  }
  const stop = async () => {
    child.kill('SIGQUIT');
    await ended;
    rmSync(directory, { recursive: true });
  };
  return { port, stop };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
