import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApplication } from '../../src/app.setup.js';
import { signToken } from '../../src/auth/index.js';
import { migrations } from '../../src/migrations/index.js';
import { withOwnerConnection } from '../../src/ops/index.js';
import { getDatabaseDirectory } from '../../src/shared/persistence/index.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { testEnvironment } from '../support/app/test-environment.js';
import { ServiceProcess } from '../support/process/service-process.js';
import { waitFor } from '../support/app/test-app.js';
import { nodeVariables } from '../support/process/node-variables.js';

/*
 * Tests the embedded database in a directory that one process after another uses. Each test continues with the state of
 * the previous one, because starting the service takes seconds.
 */

declare const TEST_DATABASE: 'embedded' | 'postgresql';
const describeOnce = TEST_DATABASE === 'embedded' ? describe : describe.skip;

const PLAN = '/gateway/profile/clinic/design-plan';
const BOOK = '/gateway/profile/clinic/book';
const KILLS = repetitionCount('KILLS', 2, 20);
/** Number of acknowledged writes after which the process is killed. */
const WRITES = 5;

const NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc'];
const hasNamespaces = spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), 'true']).status === 0;

describeOnce('an embedded database in a directory', () => {
  let dataDir: string;
  let authorization: string;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'embedded-'));
    const database = getDatabaseDirectory(dataDir);
    mkdirSync(database);
    spawnSync('tar', ['-xf', process.env['TEST_EMBEDDED_TEMPLATE']!, '-C', database]);
    authorization = `bearer ${await signToken(testEnvironment.token, { role: 'CLINIC', id: 1 })}`;
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  const asItsOwner = <Row>(...statements: string[]): Promise<Row[]> =>
    withOwnerConnection({ kind: 'embedded', dataDir }, async ({ em }) => {
      let rows: unknown;
      for (const statement of statements) rows = await em.fork().getConnection().execute(statement);
      return rows as Row[];
    });

  /** Runs a Node program that uses the directory. */
  function run(words: string[], prefix: readonly string[] = []) {
    const [command = '', ...rest] = [...prefix, process.execPath, ...words];
    const env = {
      ...nodeVariables(),
      NO_COLOR: '1',
      DATA_DIR: dataDir,
      PORT: '0',
    };
    const { status, stdout, stderr } = spawnSync(command, rest, { env, encoding: 'utf8' });
    return { status, stdout, stderr: stderr.replaceAll(/^\{.*\}\n/gm, '') };
  }

  it('reverts the migrations of the last run, even if an older release has not recorded them', async () => {
    const names = migrations.map(({ name }) => name);
    const newer = names.filter((name) => name > 'migration-20261121210000-queued-reminders');
    await asItsOwner(
      'alter table schema_migration drop column batch, drop column release',
      `update schema_migration set executed_at = executed_at - interval '1 day' where name < '${newer[0]!}'`,
      `insert into audit_pending_command (request_id, at, actor_subject, access, operation, records, address)
        values (gen_random_uuid(), now(), 's', 'WRITE', 'o', '{}', '')`,
    );
    const down = ['dist/src/cli/migrate.js', 'down'];
    expect(run(down)).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^These tables have rows that would be lost: audit_pending_command\. /),
    });
    const destroyed = run([...down, '--destroy-data', '--confirm', 'postgres']);
    expect(destroyed.stderr).toBe('');
    expect(destroyed.stdout.split('\n').slice(0, -2)).toEqual(newer.toReversed().map((name) => `down ${name}`));
  });

  it('is not migrated by the command line of MikroORM, which uses the role of the service', () => {
    const { status, stdout, stderr } = run(['node_modules/@mikro-orm/cli/cli.js', 'migration:down']);
    expect(status).toBe(1);
    expect(stdout + stderr).toMatch(/permission denied|must be owner/);
  });

  it('is the migrated one of the build at the first start, which runs no migration', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'embedded-'));
    const instance = await ServiceProcess.start({ DATA_DIR: empty });
    const plans = await statusOf(`${instance.url}${PLAN}`);
    await instance.terminate('SIGTERM');
    rmSync(empty, { recursive: true });
    expect([plans, instance.logLines.filter((line) => line.includes('migration'))]).toEqual([200, []]);
  });

  it('gets a key at the first start, which is logged as a JSON line', async () => {
    const instance = await ServiceProcess.start({ DATA_DIR: dataDir });
    await instance.terminate('SIGTERM');
    const lines = instance.logLines.filter((line) => line.includes('a key was made'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ context: 'Encryption', file: join(dataDir, 'encryption-key') }),
    ]);
  });

  it(
    'is locked by one process, also across PID namespaces, and keeps acknowledged writes when the process is killed',
    async () => {
      if (!hasNamespaces) process.stdout.write('No PID namespaces here: the second process is in that of the first.\n');
      const acknowledged: string[] = [];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const instance = await ServiceProcess.start({ DATA_DIR: dataDir, LOG_LEVEL: 'error' });
        try {
          for (const path of acknowledged) expect([path, await statusOf(instance.url + path)]).toEqual([path, 200]);
          if (kill === 0) {
            expect(run(['dist/src/main.js'], hasNamespaces ? NAMESPACE : [])).toEqual({
              status: 1,
              stdout: '',
              stderr: `The embedded database in ${dataDir} is in use by another process: stop that one, or set DATA_DIR.\n`,
            });
          }
          const writing = write(instance, acknowledged);
          const before = acknowledged.length;
          await waitFor(() => acknowledged.length >= before + WRITES);
          await instance.terminate('SIGKILL');
          await writing;
        } finally {
          await instance.terminate('SIGKILL');
        }
      }
      expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * WRITES);
      await withService(async (url) => {
        for (const path of acknowledged) expect([path, await statusOf(url + path)]).toEqual([path, 200]);
      });
    },
    60_000 + KILLS * 30_000,
  );

  const statusOf = (url: string) => fetch(url, { headers: { authorization } }).then(({ status }) => status);

  /** Creates plans until the process has ended. Adds the acknowledged ones to a list. */
  async function write({ url }: ServiceProcess, acknowledged: string[]): Promise<void> {
    const headers = { authorization, 'content-type': 'application/json' };
    for (;;) {
      const body = JSON.stringify({ planName: `Plan ${acknowledged.length}` });
      const answer = await fetch(url + PLAN, { method: 'POST', headers, body }).catch(() => undefined);
      if (answer === undefined) return;
      expect(answer.status).toBe(201);
      acknowledged.push(answer.headers.get('location')!);
    }
  }

  /** Starts the service in this process, which then locks the directory. */
  async function withService(work: (url: string) => Promise<void>): Promise<void> {
    const encryption = { encrypts: true, keys: { kind: 'generated', dataDir } } as const;
    const database = { kind: 'embedded', dataDir } as const;
    const app = await createApplication({ ...testEnvironment, database, encryption });
    try {
      await app.listen({ port: 0, host: '127.0.0.1' });
      await work(await app.getUrl());
    } finally {
      await app.close();
    }
  }

  it('gets privileges on the queue that are missing at the next start', async () => {
    await asItsOwner('revoke usage on schema pgboss from scheduling_monitoring');
    await withService(() => Promise.resolve());
    expect(
      await asItsOwner(`select has_schema_privilege('scheduling_monitoring', 'pgboss', 'usage') as "hasPrivilege"`),
    ).toEqual([{ hasPrivilege: true }]);
  });

  it('makes the service not ready after a query has read a damaged page', async () => {
    // At its start, the service reads the tables with encrypted columns. The table of Books is not one of them.
    const [row] = await asItsOwner<{ path: string }>(`select pg_relation_filepath('book') as path`);
    const file = openSync(join(getDatabaseDirectory(dataDir), row!.path), 'r+');
    writeSync(file, Buffer.alloc(512, 0xff), 0, 512, 0);
    closeSync(file);
    await withService(async (url) => {
      expect(await statusOf(`${url}/health/ready`)).toBe(200);
      expect(await statusOf(url + BOOK)).toBe(503);
      const ready = await fetch(`${url}/health/ready`);
      expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('database (damaged)')]);
    });
  });
});
