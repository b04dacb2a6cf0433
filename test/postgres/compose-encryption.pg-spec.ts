import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { waitFor } from '../support/app/test-app.js';
import { composeEnvironment, createComposeAccounts } from '../support/database/compose-accounts.js';
import { startPostgresqlServer, type PostgresqlServer } from '../support/database/postgresql.setup.js';
import { imageEnvironment, keyStoreDirectory } from '../support/operations/dockerfile.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { findImageAccount, giveToAccount } from '../support/process/image-account.js';
import { nodeVariables } from '../support/process/node-variables.js';
import { ServiceProcess } from '../support/process/service-process.js';

/*
 * An installation of docker-compose.yml that has data is encrypted with docker-compose.encryption.yml, as docs/deployment.md
 * says: the process of the image with the environment of the Compose files, as an account without privileges, with the
 * directory of the image as the key store. The tests continue each other.
 */

const OVERLAYS = ['docker-compose.encryption.yml'];
const NAMES = { before: 'Zoë Before-Encryption', after: 'Zoë After-Encryption' };
const CLIENTS = '/gateway/profile/clinic/client';

const account = findImageAccount();
const folder = mkdtempSync(join(tmpdir(), 'care-compose-'));
const keyRing = join(folder, 'encryption-keys');
const keyStore = join(folder, 'keys');
/** A key store to which the account may not write. */
const closed = join(folder, 'closed');

let server: PostgresqlServer;
let superuser: pg.Client;
let encrypted: Record<string, string>;
const running: ServiceProcess[] = [];
beforeAll(async () => {
  server = await startPostgresqlServer(['fsync=off']);
  superuser = new pg.Client({ connectionString: await createComposeAccounts(server.url) });
  await superuser.connect();
  chmodSync(folder, 0o755);
  writeFileSync(keyRing, `2026:${Buffer.alloc(32, 5).toString('base64')}\n`);
  giveToAccount(account, keyRing, 0o400);
  mkdirSync(keyStore);
  giveToAccount(account, keyStore, Number.parseInt(keyStoreDirectory.mode, 8));
  mkdirSync(closed);
  encrypted = toMounted(composeEnvironment('service', server.url, OVERLAYS));
});
afterAll(async () => {
  for (const instance of running) await instance.terminate('SIGKILL');
  await superuser.end();
  await server.stop();
  // An account without privileges can delete the file in this directory only if it may write to it.
  chmodSync(closed, 0o700);
  rmSync(folder, { recursive: true });
});

/** Returns the environment of a container, with the places of this test instead of its mounts. */
function toMounted(variables: Record<string, string>): Record<string, string> {
  expect(variables).toMatchObject({
    ENCRYPTION_KEYS_FILE: '/run/secrets/encryption-keys',
    ENCRYPTION_KEY_DIRECTORY: keyStoreDirectory.path,
  });
  return { ...variables, ENCRYPTION_KEYS_FILE: keyRing, ENCRYPTION_KEY_DIRECTORY: keyStore };
}

async function start(variables: Record<string, string>): Promise<ServiceProcess> {
  const instance = await ServiceProcess.launch({ ...imageEnvironment, HOST: '127.0.0.1', ...variables }, account);
  running.push(instance);
  await instance.waitUntilReady();
  return instance;
}

async function createToken(...words: string[]): Promise<string> {
  // The environment of `docker compose exec service`.
  const { status, stdout, stderr } = await runCommandInProcess('token', words, encrypted);
  expect([status, stderr]).toEqual([0, '']);
  return stdout.trim();
}

async function call(instance: ServiceProcess, token: string, path: string, body?: object) {
  const response = await fetch(new URL(path, instance.url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

async function readStoredNames(): Promise<string[]> {
  const { rows } = await superuser.query<{ name: string }>('select name from client order by id');
  return rows.map(({ name }) => name);
}

it('starts without encryption, and stores a name in clear text', async () => {
  expect(await runCommandInProcess('migrate', [], composeEnvironment('migrate', server.url))).toMatchObject({
    ...{ status: 0, stderr: '' },
  });
  const instance = await start(composeEnvironment('service', server.url));
  const admin = await createToken('--role', 'ADMIN');
  const clinic = { name: 'Clinic', timeZone: 'Europe/London' };
  expect(await call(instance, admin, '/gateway/admin/clinic', clinic)).toMatchObject({ status: 201 });
  const token = await createToken('--role', 'CLINIC', '--id', '1');
  expect(await call(instance, token, CLIENTS, { name: NAMES.before })).toMatchObject({ status: 201 });
  expect(await readStoredNames()).toEqual([NAMES.before]);
  // docker compose stop service
  await instance.stop();
});

it('starts with encryption, and two instances share the key store', async () => {
  const [first, second] = await Promise.all([start(encrypted), start(encrypted)]);
  const token = await createToken('--role', 'CLINIC', '--id', '1');
  expect(await call(first, token, CLIENTS, { name: NAMES.after })).toMatchObject({ status: 201 });
  const list = await call(second, token, CLIENTS);
  for (const name of Object.values(NAMES)) expect(list.text).toContain(name);
  const [before, after] = await readStoredNames();
  expect(before).toBe(NAMES.before);
  expect(after).not.toContain('After-Encryption');
});

it('encrypts the rows from before with the documented command', async () => {
  const page = readFileSync('docs/deployment.md', 'utf8');
  const [, url, command] =
    /run --rm --no-deps \\\n +--env MIGRATION_DATABASE_URL="([^"]+)" \\\n +service node (\S+)\n/.exec(page)!;
  // The URL is that of the migration.
  const { MIGRATION_DATABASE_URL: owner } = composeEnvironment('migrate', server.url);
  const { username, pathname } = new URL(url!.replace('$OWNER_PASSWORD', 'x'));
  expect([username, pathname]).toEqual([new URL(owner!).username, new URL(owner!).pathname]);
  const { status, stdout, stderr } = spawnSync(process.execPath, [command!], {
    ...account,
    env: { ...nodeVariables(), ...imageEnvironment, ...encrypted, MIGRATION_DATABASE_URL: owner! },
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^[1-9]\d* row\(s\) encrypted\n$/)]);
  expect(stderr).not.toMatch(/error/i);
  for (const stored of await readStoredNames()) expect(stored).not.toMatch(/Zoë|Encryption/);
  const token = await createToken('--role', 'CLINIC', '--id', '1');
  const list = await call(running.at(-1)!, token, CLIENTS);
  for (const name of Object.values(NAMES)) expect(list.text).toContain(name);
});

it('keeps key files that only the account of the service can read', () => {
  const files = globSync(`${keyStore}/**`).filter((path) => statSync(path).isFile());
  expect(files.length).toBeGreaterThan(3);
  const owner = account?.uid ?? process.getuid?.();
  expect(files.filter((file) => (statSync(file).mode & 0o777) !== 0o600 || statSync(file).uid !== owner)).toEqual([]);
});

it('restores the key store from its documented backup', async () => {
  const page = readFileSync('docs/deployment.md', 'utf8');
  const [, create] = /exec --no-TTY service (tar .+) > keys/.exec(page)!;
  const [, extract] = /run --rm --no-TTY --no-deps service (tar .+) < keys/.exec(page)!;
  const restored = join(folder, 'restored');
  mkdirSync(join(restored, 'keys'), { recursive: true });
  const tar = (command: string, directory: string, input = Buffer.alloc(0)) => {
    const [program, ...words] = command.replace('/var/lib/care-scheduling', directory).split(' ');
    return execFileSync(program!, words, { input });
  };
  tar(extract!, restored, tar(create!, folder));
  const variables = { ...encrypted, ENCRYPTION_KEY_DIRECTORY: join(restored, 'keys') };
  const { status, stdout } = await runCommandInProcess('rotate-keys', [], variables);
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^0 key\(s\) rotated, [1-9]\d* were current, 0 failed\n$/),
  ]);
});

it('does not start without the overlay any more', async () => {
  const instance = await ServiceProcess.launch(composeEnvironment('service', server.url), account);
  running.push(instance);
  await waitFor(() => instance.exitCode !== undefined);
  expect([instance.exitCode, instance.stderr]).toEqual([1, expect.stringContaining('The database has encrypted data')]);
});

it('says what is wrong if the account may not write to the key store', async () => {
  copyFileSync(join(keyStore, 'store-id'), join(closed, 'store-id'));
  giveToAccount(account, join(closed, 'store-id'), 0o400);
  giveToAccount(account, closed, 0o500);
  // Root may write anywhere.
  if (account === undefined && process.getuid?.() === 0) return;
  const instance = await ServiceProcess.launch({ ...encrypted, ENCRYPTION_KEY_DIRECTORY: closed }, account);
  running.push(instance);
  await waitFor(() => instance.exitCode !== undefined);
  expect([instance.exitCode, instance.stderr]).toEqual([
    1,
    expect.stringContaining('ENCRYPTION_KEY_DIRECTORY cannot be used (EACCES)'),
  ]);
});
