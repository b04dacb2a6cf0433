import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ServiceProcess } from '../support/process/service-process.js';
import { createMigratedDatabase, startPostgresqlServer } from '../support/database/postgresql.setup.js';
import { VaultServer } from '../support/http/vault-server.js';
import { Prometheus } from '../support/operations/prometheus.js';

/*
 * npm run test:alerts -- --live: causes the most important alerts one after another. Waits until a Prometheus server
 * that scrapes two instances of the built service fires each of them. Takes about three minutes.
 */

/** Maximum time until an alert fires. The dispatcher counts as stopped after a minute. */
const PATIENCE_MS = 150_000;
const HOUR_MS = 3_600_000;
const VAULT_TOKEN = 'hvs.CAESIAlertsTestOnlyToken';
const MESSAGE_ID = '019abcde-0000-4000-8000-000000000001';

/** The key in `AuditSealer`. */
const SEAL_LOCK = 4_711_2027;

/** SQL that inserts an old audit entry that is not sealed. */
const OLD_ENTRY = `
  with entry as (
    insert into audit_entry (at, actor_role, access, operation, records, record_count, request_id, address, outcome)
      values (now() - interval '20 minutes', 'UNKNOWN_RECIPIENT', 'WRITE', 'X', '{}', 0, gen_random_uuid(), '::1', 'OK')
      returning id, at)
  insert into audit_unsealed (entry_id, at) select id, at from entry on conflict do nothing`;

type Trial = { alert: string; instance?: string; cause: () => Promise<unknown> };

const server = await startPostgresqlServer(['fsync=off']);
const url = await createMigratedDatabase(server.url, 'care');
const [client, holder] = await Promise.all([connect(), connect()]);
const service = Object.assign(new URL(url), { username: 'scheduling_app', password: 'scheduling_app' }).href;
const vault = await VaultServer.start(VAULT_TOKEN);
const keyDirectory = mkdtempSync(join(tmpdir(), 'care-keys-'));
const common = {
  ...{ DATABASE_URL: service, LOG_LEVEL: 'silent' },
  ...{ VAULT_ADDR: vault.url, VAULT_TOKEN, ENCRYPTION_KEY_DIRECTORY: keyDirectory },
};
const right = await ServiceProcess.launch(common);
const wrong = await ServiceProcess.launch({
  ...common,
  CLOCK_SHIFT_MS: String(HOUR_MS),
  NODE_OPTIONS: '--no-warnings --import ./test/support/process/shifted-clock.ts',
});
let prometheus: Prometheus | undefined;
try {
  await right.waitUntilReady();
  const targets = [right, wrong].map(({ port }) => `127.0.0.1:${port}`) as [string, string];
  prometheus = await Prometheus.start(targets);
  const missing = await tryAll(prometheus, trialsOf(...targets));
  process.stdout.write(missing.length === 0 ? 'SUCCESS\n' : `NOT FIRED: ${missing.join(', ')}\n`);
  process.exitCode = missing.length === 0 ? 0 : 1;
} finally {
  await prometheus?.stop();
  await Promise.all([right.terminate('SIGKILL'), wrong.terminate('SIGKILL')]);
  await Promise.all([client.end(), holder.end()]);
  await server.stop();
  await vault.close();
  rmSync(keyDirectory, { recursive: true });
}

async function connect(): Promise<pg.Client> {
  const connection = new pg.Client({ connectionString: url });
  await connection.connect();
  // Disables foreign key checks, because the rows of this script refer to records that do not exist.
  await connection.query('set session_replication_role = replica');
  return connection;
}

async function tryAll(prometheus: Prometheus, trials: readonly Trial[]): Promise<string[]> {
  const missing: string[] = [];
  for (const { alert, instance, cause } of trials) {
    const begun = performance.now();
    await cause();
    const fired = await prometheus.waitForFiringAlert(alert, instance, PATIENCE_MS);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const said = fired === undefined ? 'NOT FIRED' : `fired: ${fired.annotations['description']}`;
    process.stdout.write(`${alert}, after ${seconds} s, ${said}\n`);
    if (fired === undefined) missing.push(alert);
  }
  return missing;
}

/** The cases, in an order in which no case prevents a later one. */
function trialsOf(rightInstance: string, wrongInstance: string): Trial[] {
  return [
    { alert: 'ClockSkew', instance: wrongInstance, cause: async () => undefined },
    { alert: 'VaultUnavailable', instance: rightInstance, cause: sealVault },
    { alert: 'ReminderDeadLetters', cause: giveUpReminder },
    { alert: 'AuditTrailNotSealed', cause: holdSeal },
    { alert: 'RemindersDueTooOld', cause: holdDueReminder },
    { alert: 'ReminderDispatcherStopped', instance: rightInstance, cause: holdDispatch },
    { alert: 'DatabaseReadOnly', instance: rightInstance, cause: refuseWrites },
  ];
}

/** Makes Vault refuse each call, and with it the lookup of the token by the job. */
async function sealVault(): Promise<void> {
  vault.isSealed = true;
}

/** Inserts a message whose last attempt has failed, and whose job is in the dead letter queue. */
async function giveUpReminder(): Promise<void> {
  await client.query(reminder('now()', 'QUEUED', `'${MESSAGE_ID}'`));
  await client.query(`insert into pgboss.job (name, data) values ('reminder-dead', '{"messageId":"${MESSAGE_ID}"}')`);
}

/** Locks the recipient of a due reminder, because the dispatch skips recipients that another instance has locked. */
async function holdDueReminder(): Promise<void> {
  await holder.query(`select pg_advisory_lock(hashtextextended('CLIENT1', 0))`);
  await client.query(reminder(`now() - interval '10 minutes'`, 'PENDING', 'null'));
}

/** Holds the lock of the sealer, as an instance does that hangs while it seals. */
async function holdSeal(): Promise<void> {
  await holder.query(`select pg_advisory_lock(${SEAL_LOCK})`);
  await client.query(OLD_ENTRY);
}

/** Locks the table, so that the dispatch repeatedly fails. */
async function holdDispatch(): Promise<void> {
  await holder.query('begin; lock table reminder in exclusive mode');
}

async function refuseWrites(): Promise<void> {
  await holder.query('rollback');
  await client.query('alter system set default_transaction_read_only = on');
  await client.query('select pg_reload_conf()');
}

function reminder(due: string, status: string, messageId: string): string {
  return `
  insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, status,
      story, created_at, message_id, queued_at)
    values (1, 1, 1, 'CLIENT', 1, '{"kind":"REMIND_DAYS","days":0}', ${due}, ${due}, '${status}', '[]', now(),
      ${messageId}, case when '${status}' = 'QUEUED' then now() end)`;
}
