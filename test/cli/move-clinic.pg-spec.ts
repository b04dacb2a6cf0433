import { sql } from 'kysely';
import { existsSync, readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditSealer } from '../../src/audit/index.js';
import { MOVED_TABLES } from '../../src/cli/move/moved-tables.js';
import { INSTALLATION_KEY_OWNER } from '../../src/shared/encryption/index.js';
import { FieldEncryption } from '../../src/shared/persistence/index.js';
import { ReminderDispatcher, ReminderQueue } from '../../src/reminder/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { TestApp } from '../support/app/test-app.js';
import { commandVariablesOf, MovingClinic, runCommandOf } from '../support/operations/moving-clinic.js';
import { writeTamperedMove, type MoveAddition } from '../support/operations/tampered-move.js';
import { runCommandInProcess } from '../support/process/cli-command.js';

/*
 * A Clinic moves from one installation to another with `npm run export-clinic` and `npm run import-clinic`. The tests
 * continue each other. move-clinic-load.pg-spec.ts does the same under load.
 */

const CLINIC = '/gateway/profile/clinic';
const REFUSED = [409, 'urn:problem:clinic-moved'];
const LISTS = ['design-plan', 'client', 'care-provider', 'book', 'session', 'series', 'reminder', 'retention', 'audit'];

let moving: MovingClinic;
let neighbour: Awaited<ReturnType<TestApp['createClinic']>>;
beforeAll(async () => {
  moving = await MovingClinic.start();
  neighbour = await moving.old.createClinic();
});
afterAll(() => moving.stop());

/** Lines with the number of rows of each table, without the audit trail, in which the commands themselves have entries. */
const countsIn = (output: string) =>
  output.split('\n').filter((line) => line.endsWith(' row(s)') && !line.startsWith('audit_'));
const readCode = (output: string, option: string) => new RegExp(`--${option} ([0-9a-f]{32})\n`).exec(output)![1]!;
let preview: string[];
let openingCode: string;
let answers: [string, unknown][];

it('a dry run counts what would move, and changes nothing', async () => {
  const { stdout } = await moving.export('--dry-run');
  preview = countsIn(stdout);
  expect(preview).toEqual(
    expect.arrayContaining(['clinic: 1 row(s)', 'client: 3 row(s)', 'shared catalogue: 1 row(s)']),
  );
  expect(stdout).toMatch(/\ndry run: \d+ row\(s\) would move, nothing was changed\n$/);
  expect(await moving.old.queryRows(sql`select from clinic_move`)).toEqual([]);
});

it.each([
  [['--clinic', '999', '--dry-run'], 'There is no Clinic 999.\n'],
  [['--dry-run'], '--clinic must be the id of a Clinic.\n'],
  [['--clinic', '1'], 'Give --recipient and --output, or --dry-run, --confirm, --cancel or --delete. See --help.\n'],
  [['--clinic', '1', '--cancel'], 'Clinic 1 is not moving away.\n'],
  [['--clinic', '1', '--delete', 'x'], 'Clinic 1 has not moved away, or the move is not confirmed.\n'],
  [['--clinic', '1', '--recipient', 'x', '--output', 'y'], '--recipient must be a public key of age, such as age1…\n'],
  [['--clinic', '1', '--thing'], "Unknown option '--thing'. See --help.\n"],
])('export-clinic %j is refused', async (words, message) => {
  expect(await runCommandOf(moving.old, 'export-clinic', ...words)).toEqual({ status: 1, stdout: '', stderr: message });
});

it('nothing is exported without the keys of a database that was encrypted', async () => {
  const { ENCRYPTION_KEYS: ring, ...variables } = commandVariablesOf(moving.old);
  // With TEST_ENCRYPTION=off, there are none.
  if (ring === undefined) return;
  const words = ['--clinic', String(moving.tenant.fixture.clinicId), '--recipient', moving.recipient];
  const result = await runCommandInProcess('export-clinic', [...words, '--output', moving.file('no-keys')], variables);
  expect(result).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^The database has encrypted data: set/),
  });
  expect(existsSync(moving.file('no-keys'))).toBe(false);
  expect(await moving.old.queryRows(sql`select from clinic_move`)).toEqual([]);
});

it('nothing is exported while the data key of a person is missing', async () => {
  const { keys } = moving.old.environment.encryption;
  if (keys?.kind !== 'configured') return;
  const [clientId] = moving.tenant.fixture.clientIds;
  await moving.old.nest.get(FieldEncryption).keys!.maintain();
  const name = readdirSync(keys.directory, { encoding: 'utf8', recursive: true }).find((file) =>
    new RegExp(`^client/.*/${clientId}\\.key$`).test(file),
  );
  const file = join(keys.directory, name!);
  renameSync(file, moving.file('away'));
  for (const words of [['--dry-run'], ['--recipient', moving.recipient, '--output', moving.file('no-key')]])
    expect(await moving.export(...words)).toEqual({
      ...{ status: 1, stdout: '' },
      stderr:
        `The data key of CLIENT ${clientId} is missing, so its texts cannot move: restore its file in the key store, ` +
        'or erase the record.\n',
    });
  renameSync(moving.file('away'), file);
  expect(existsSync(moving.file('no-key'))).toBe(false);
  expect(await moving.old.queryRows(sql`select from clinic_move`)).toEqual([]);
});

it('from the cut, the old installation refuses changes of the Clinic, and only of this one', async () => {
  // No worker fetches the messages, so that the export finds them in the queue.
  await moving.old.nest.get(Scheduler).stop('reminder-intake');
  await moving.old.nest.get(ReminderQueue).pause();
  expect(await moving.old.nest.get(ReminderDispatcher).dispatchDue()).toBe(2);
  expect(await moving.exportTo('moved')).toMatchObject({ status: 0, stderr: '' });
  expect(await moving.write(moving.old)).toEqual([REFUSED, REFUSED, REFUSED, REFUSED]);
  const { clinicToken: token } = neighbour;
  const other = await moving.old.call('POST', `${CLINIC}/design-plan`, { token, body: { planName: 'Other' } });
  expect(other.status).toBe(201);
  answers = await readLists(moving.old);
});

async function readLists(app: TestApp): Promise<[string, unknown][]> {
  const { clinicToken: token } = moving.tenant.fixture;
  const results: [string, unknown][] = [];
  for (const list of LISTS) {
    // The requests of this test are entries of the audit trail as well.
    const query = list === 'audit' ? '?access=WRITE&outcome=OK&actorRole=CARE_PROVIDER' : '';
    const { status, body } = await app.call('GET', `${CLINIC}/${list}${query}`, { token });
    expect([list, status]).toEqual([list, 200]);
    // The Book of the other Clinic is not moved, but is in the shared catalogue that both Clinics see.
    const items = (body.items as { id: unknown }[] | undefined)?.filter(({ id }) => id !== neighbour.sharedBookId);
    results.push([list, { ...body, ...(list === 'book' && { items }) }]);
  }
  return results;
}

it('no job of the old installation sees the Clinic, and its queue has no message of it', async () => {
  const jobs = await moving.old.queryRows(
    sql`select from pgboss.job where state <> 'completed' and name like 'reminder%'`,
  );
  expect(jobs).toEqual([]);
  expect(await moving.old.nest.get(ReminderDispatcher).dispatchDue()).toBe(0);
  const statuses = await moving.old.queryRows(sql<{ status: string }>`select distinct status from reminder order by 1`);
  expect(statuses.map(({ status }) => status)).toEqual(['PENDING', 'SENT']);
});

it.each([
  [
    'changed',
    (content: Buffer) => content.fill(content[2_000]! ^ 1, 2_000, 2_001),
    /^\S+ is damaged or incomplete\.\n$/,
  ],
  ['cut off', (content: Buffer) => content.subarray(0, -20), /^\S+ is damaged or incomplete\.\n$/],
  ['something else', () => Buffer.from('hello'), /^\S+ is damaged or incomplete\.\n$/],
])('a file that is %s is refused', async (_, damage, message) => {
  writeFileSync(moving.file('damaged'), damage(readFileSync(moving.file('moved'))));
  const { status, stderr } = await moving.importFrom('damaged');
  expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
  expect(await moving.target.queryRows(sql`select from clinic`)).toEqual([]);
});

it('another identity, and an installation of the same range of ids, are refused', async () => {
  const { target } = moving;
  await moving.succeed(target, 'import-clinic', '--new-identity', moving.file('other'));
  const words = ['--identity', moving.file('other'), '--input', moving.file('moved')];
  expect((await runCommandOf(target, 'import-clinic', ...words)).stderr).toMatch(
    /^The identity does not fit to \S+\n$/,
  );
  const absent = ['--identity', moving.file('absent'), '--input', moving.file('moved')];
  expect((await runCommandOf(target, 'import-clinic', ...absent)).stderr).toMatch(
    /absent cannot be read \(ENOENT\)\.\n$/,
  );
  truncateSync(moving.file('other'));
  expect((await runCommandOf(target, 'import-clinic', ...words)).stderr).toMatch(
    /other has no private key of age\.\n$/,
  );
  expect((await moving.importFrom('moved', moving.old)).stderr).toMatch(/^Clinic \d+ exists here\.\n$/);
  const third = await TestApp.start();
  expect((await moving.importFrom('moved', third)).stderr).toMatch(/^Both installations take ids from range 0: /);
  await third.stop();
});

it('an installation with the same key store is refused', async () => {
  const { keys } = moving.target.nest.get(FieldEncryption);
  if (keys === undefined) return;
  await writeTamperedMove(moving, { keyStoreId: await keys.readStoreId() }, 'same-store');
  expect(await moving.importFrom('same-store', moving.target, '--dry-run')).toMatchObject({
    ...{ status: 1, stderr: expect.stringMatching(/^Both installations use the same key store: /) },
  });
});

it('a record with the same id is refused, also one of another Clinic', async () => {
  const third = await TestApp.start();
  // Range 0 was in use before: a Clinic of it has the id 1000.
  await third.queryRows(sql`
    insert into clinic (id, name, time_zone, active, created_at) overriding system value values (1000, 'C', 'UTC', true, now())`);
  await moving.succeed(third, 'id-range', '--number', '6');
  const [clientId] = moving.tenant.fixture.clientIds;
  await third.queryRows(sql`
    insert into client (id, clinic_id, name, active, created_at) overriding system value
    values (${clientId}, 1000, 'K', true, now())`);
  expect((await moving.importFrom('moved', third)).stderr).toBe(`client ${clientId} exists here.\n`);
  expect(await third.queryRows(sql`select id::text from clinic`)).toEqual([{ id: '1000' }]);
  await third.stop();
});

it('a file with rows or keys of others is refused, and changes nothing', async () => {
  const third = await TestApp.start();
  await moving.succeed(third, 'id-range', '--number', '6');
  const victim = await third.createClinic();
  const { keys } = third.nest.get(FieldEncryption);
  const [clientId] = victim.clientIds;
  const readState = async () => ({
    rows: await third.queryRows(sql`
      select (select array_agg(id) from clinic) as clinics, (select array_agg(id) from calendar_link) as links,
        (select array_agg(id order by id) from book) as books`),
    clients: (await third.call('GET', `${CLINIC}/client`, { token: victim.clinicToken })).body,
    keys: await keys?.reveal([INSTALLATION_KEY_OWNER, { kind: 'CLIENT', id: clientId }]),
  });
  const before = await readState();
  const link = {
    id: 777,
    client_id: clientId,
    titles: 'FULL',
    secret_hash: 'x',
    created_at: 'now',
    expires_at: 'infinity',
  };
  const book = { id: 2 ** 43, title: 'Advice', active: 't', created_at: 'now', version: 1 };
  const key = { key: null };
  const [issuedBefore, revokedAt, expiresAt] = ['now', 'now', 'infinity'];
  const holder = { subject: null, role: 'CLIENT', recordId: clientId, issuedBefore, revokedAt, expiresAt } as const;
  const additions: [MoveAddition, string][] = [
    [
      toRow('calendar_link', { ...link, clinic_id: victim.clinicId }, false),
      'calendar_link has 1 row(s) of another Clinic.',
    ],
    [
      toRow('shared catalogue', { ...book, clinic_id: victim.clinicId }, true),
      'shared catalogue has 1 row(s) of another Clinic.',
    ],
    [{ holder }, `The file revokes tokens of CLIENT ${clientId}, which is not of the Clinic.`],
  ];
  if (keys !== undefined)
    additions.push(
      [
        { key: { ...key, ...INSTALLATION_KEY_OWNER } },
        'The file has a key of INSTALLATION 0, which does not belong to the Clinic.',
      ],
      [
        { key: { ...key, kind: 'CLIENT', id: clientId } },
        `The file has a key of CLIENT ${clientId}, which does not belong to the Clinic.`,
      ],
    );
  for (const [index, [addition, message]] of additions.entries()) {
    await writeTamperedMove(moving, addition, `tampered-${index}`);
    expect(await moving.importFrom(`tampered-${index}`, third)).toEqual({
      status: 1,
      stdout: '',
      stderr: `${message}\n`,
    });
    expect(await readState()).toEqual(before);
  }
  await third.stop();

  function toRow(section: string, values: Record<string, string | number>, isInChecksum: boolean): MoveAddition {
    return { section, values, isInChecksum };
  }
});

it('a Clinic that was not imported is not opened', async () => {
  const words = ['--clinic', String(neighbour.clinicId), '--open', 'x'];
  expect(await runCommandOf(moving.old, 'import-clinic', ...words)).toEqual({
    status: 1,
    stdout: '',
    stderr: `Clinic ${neighbour.clinicId} does not wait to be opened.\n`,
  });
});

it('a dry run of the import finds what the dry run of the export has counted, and takes it back', async () => {
  const { status, stdout } = await moving.importFrom('moved', moving.target, '--dry-run');
  expect(status).toBe(0);
  expect(countsIn(stdout).toSorted()).toEqual(preview.toSorted());
  expect(await moving.target.queryRows(sql`select from clinic`)).toEqual([]);
});

it('the new installation answers like the old one, but is closed until the move is confirmed', async () => {
  const { target, old } = moving;
  const imported = await moving.importFrom('moved');
  expect([imported.status, imported.stderr]).toEqual([0, '']);
  // As after an import that was killed before it printed the receipt.
  expect(await moving.importFrom('moved')).toEqual({
    status: 0,
    stdout: imported.stdout.replace(
      /^.*\. Confirm/,
      `Clinic ${moving.tenant.fixture.clinicId} was imported before. Confirm`,
    ),
    stderr: '',
  });
  expect((await moving.importFrom('moved', target, '--dry-run')).stderr).toMatch(/^Clinic \d+ exists here\.\n$/);
  expect(await readLists(target)).toEqual(answers);
  expect(await moving.write(target)).toEqual([REFUSED, REFUSED, REFUSED, REFUSED]);
  expect(await target.nest.get(ReminderDispatcher).dispatchDue()).toBe(0);
  expect((await moving.onArrival('--open', 'x')).stderr).toMatch(/^The code does not open Clinic /);
  expect((await moving.export('--confirm', 'x')).stderr).toMatch(/^The receipt does not belong to the last export /);
  const confirmed = await moving.export('--confirm', readCode(imported.stdout, 'confirm'));
  expect((await moving.export('--cancel')).stderr).toMatch(/^The move of Clinic \d+ is confirmed\.\n$/);
  expect((await moving.exportTo('again')).stderr).toMatch(/^Clinic \d+ has moved away: the move is confirmed\.\n$/);
  openingCode = readCode(confirmed.stdout, 'open');
  // The Clinic can still be discarded in the new installation, so the old one must keep its rows.
  expect((await moving.export('--delete', openingCode)).stderr).toMatch(/^The code does not delete Clinic \d+: /);
  expect(await moving.onArrival('--open', openingCode)).toMatchObject({ status: 0 });
  expect((await moving.onArrival('--open', 'x')).stdout).toMatch(
    /^Clinic \d+ was opened before, so the code is not checked\./,
  );
  expect((await moving.importFrom('moved')).stderr).toMatch(/^Clinic \d+ exists here\.\n$/);
  expect((await moving.write(target)).map(([status]) => status)).toEqual([201, 201, 200, 200]);
  expect(await moving.write(old)).toEqual([REFUSED, REFUSED, REFUSED, REFUSED]);
});

it('each reminder was sent once, by one of the installations', async () => {
  const before = moving.old.deliveredMessages.map(({ messageId }) => messageId);
  await moving.target.deliverDueReminders();
  const after = moving.target.deliveredMessages.map(({ messageId }) => messageId);
  expect([before.length, after.length]).toEqual([2, 2]);
  expect(new Set([...before, ...after]).size).toBe(4);
  const unsent = await moving.target.queryRows(sql`select from reminder where status = 'PENDING' and send_at < now()`);
  expect(unsent).toEqual([]);
});

it('a retry gets the stored answer, and a revoked token stays revoked', async () => {
  const first = await moving.createPlanOnce(moving.old);
  const retried = await moving.createPlanOnce(moving.target);
  expect(retried.headers.get('location')).toBe(first.headers.get('location'));
  expect(retried.headers.get('idempotent-replayed')).toBe('true');
  expect(await moving.target.queryRows(sql`select jti from revoked_token`)).toEqual([{ jti: 'lost' }]);
});

it.each([
  ['ADMIN', 2],
  ['CALENDAR_LINK', 1],
])('the new installation shows the callers of entries of %s', async (role, count) => {
  const { clinicToken: token } = moving.tenant.fixture;
  const read = async (app: TestApp) => {
    const { body } = await app.call('GET', `${CLINIC}/audit?actorRole=${role}&limit=50`, { token });
    return body.items as { actorSubject: string | null; address: string }[];
  };
  const entries = await read(moving.target);
  expect(entries.length).toBeGreaterThanOrEqual(count);
  expect(entries).toEqual(await read(moving.old));
  expect(JSON.stringify(entries)).not.toMatch(/\[unreadable\]|\[erased\]/);
});

it('the audit trails of both installations verify, and have entries of the commands', async () => {
  for (const app of [moving.old, moving.target]) {
    await app.nest.get(AuditSealer).seal();
    expect(await moving.succeed(app, 'audit-verify')).toMatch(/\nOK: \d+ entries/);
  }
  const { clinicToken: token } = moving.tenant.fixture;
  const { body } = await moving.target.call('GET', `${CLINIC}/audit?actorRole=COMMAND`, { token });
  const operations = (body.items as { operation: string }[]).map(({ operation }) => operation);
  expect(operations.toSorted()).toEqual(['command export-clinic', 'command import-clinic', 'command import-clinic']);
});

it('the closed rows and the keys are deleted in the old installation, and only there', async () => {
  const { old, target, tenant } = moving;
  const { clinicId, clientIds } = tenant.fixture;
  const countRows = async (app: TestApp) => {
    let total = 0;
    for (const [table, rowsOf] of Object.entries(MOVED_TABLES)) {
      const condition = sql.raw(rowsOf(clinicId));
      total += (await app.queryRows(sql`select from ${sql.table(table)} where ${condition}`)).length;
    }
    return total;
  };
  const neighbourClients = () => old.call('GET', `${CLINIC}/client`, { token: neighbour.clinicToken });
  const before = (await neighbourClients()).body;
  const { stdout: opened } = await moving.onArrival('--open', openingCode);
  const deletionCode = readCode(opened, 'delete');
  const deleted = await moving.export('--delete', deletionCode);
  expect(deleted).toMatchObject({ status: 0, stderr: '' });
  expect(deleted.stdout).toMatch(/^\d+ row\(s\) of Clinic \d+ were deleted, and its data keys destroyed\.\n$/);
  expect(await countRows(old)).toBe(0);
  expect(await countRows(target)).toBeGreaterThan(50);
  const keysOf = async (app: TestApp) => {
    const owners = [{ kind: 'CLINIC', id: clinicId } as const, { kind: 'CLIENT', id: clientIds[0] } as const];
    return (await app.nest.get(FieldEncryption).keys!.reveal(owners)).map((key) =>
      Buffer.isBuffer(key) ? 'KEY' : key,
    );
  };
  expect([await keysOf(old), await keysOf(target)]).toEqual([
    ['DESTROYED', 'DESTROYED'],
    ['KEY', 'KEY'],
  ]);
  expect((await moving.export('--delete', deletionCode)).stderr).toMatch(/^Clinic \d+ has not moved away, /);
  expect((await neighbourClients()).body).toEqual(before);
  await old.nest.get(AuditSealer).seal();
  expect(await moving.succeed(old, 'audit-verify')).toMatch(/\nOK: \d+ entries/);
});

it('a Clinic of a range receives no key that was destroyed, but fits into an installation with the default range', async () => {
  const { old, target, tenant } = moving;
  const moveAway = ({ clinicId }: { clinicId: number }, file: string) =>
    moving.succeed(target, 'export-clinic', '--clinic', String(clinicId), ...toReceiver(file));
  const toReceiver = (file: string) => ['--recipient', moving.recipient, '--output', moving.file(file)];
  await moveAway(tenant.fixture, 'back');
  const back = await moving.importFrom('back', old, '--dry-run');
  const hasKeys = old.nest.get(FieldEncryption).keys !== undefined;
  if (hasKeys) expect(back.stderr).toMatch(/^The key of CLINIC \d+ was destroyed here, so its texts cannot return: /);
  const ranged = await target.createClinic();
  expect(ranged.clinicId).toBeGreaterThan(2 ** 40);
  await moveAway(ranged, 'ranged');
  const third = await TestApp.start();
  expect(await moving.importFrom('ranged', third)).toMatchObject({ status: 0, stderr: '' });
  expect(await moving.succeed(third, 'id-range')).toMatch(/^range 0: /);
  await moving.succeed(third, 'backup', moving.file('backup'));
  expect((await runCommandOf(third, 'verify-restore', moving.file('backup'))).stderr).not.toMatch(/_seq is at/);
  await third.stop();
});
