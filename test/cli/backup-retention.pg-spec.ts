import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { AuditRetention, AuditSealer } from '../../src/audit/index.js';
import { TEST_JWT_SECRET, TestApp } from '../support/app/test-app.js';
import { allowEarlyRetirement } from '../support/database/audit-retention.js';
import { createTestDatabase } from '../support/database/test-database.js';
import { commandVariablesOf, runCommandOf } from '../support/operations/moving-clinic.js';
import { runCommandInProcess } from '../support/process/cli-command.js';

/* Tests a backup that is taken while retention drops a partition of the audit trail. */

let app: TestApp;
let directory: string;
beforeAll(async () => {
  app = await TestApp.start();
  directory = mkdtempSync(join(tmpdir(), 'backup-retention-'));
  await allowEarlyRetirement(app);
  const { clinicToken: token } = await app.createClinic();
  for (const at of ['2025-01-10T10:00:00Z', '2025-03-10T10:00:00Z']) {
    app.clock.set(at);
    await app.nest.get(AuditRetention).ensurePartitions();
    await app.call('GET', '/gateway/profile/clinic/session', { token });
    await app.nest.get(AuditSealer).seal();
  }
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await app.stop();
});

const query = Reflect.get(pg.Client.prototype, 'query') as (...words: unknown[]) => unknown;

/** Runs work just before a connection of this process locks the tables of the database. */
async function beforeLock<T>(work: () => Promise<void>, command: () => Promise<T>): Promise<T> {
  let isDone = false;
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...words: unknown[]) {
      if (isDone || typeof words[0] !== 'string' || !words[0].includes('lock table')) return query.apply(this, words);
      isDone = true;
      return work().then(() => query.apply(this, words));
    },
  });
  try {
    return await command();
  } finally {
    Object.assign(pg.Client.prototype, { query });
    expect(isDone).toBe(true);
  }
}

async function dropPartition(): Promise<void> {
  const owner = new pg.Client({ connectionString: commandVariablesOf(app)['MIGRATION_DATABASE_URL']! });
  await owner.connect();
  const { rowCount } = await owner.query(
    `select from retire_audit_partition('2025-02-01', '2025-02-02', now(), 'host')`,
  );
  await owner.end();
  expect(rowCount).toBe(1);
}

it('is restored with an intact audit trail', async () => {
  const path = join(directory, 'taken');
  const backup = await beforeLock(dropPartition, () => runCommandOf(app, 'backup', path));
  expect(backup).toMatchObject({ status: 0, stderr: '' });
  const database = await createTestDatabase('postgresql');
  if (database.environment.kind !== 'postgresql') throw new Error('This test needs a server');
  const variables = { DATABASE_URL: database.environment.migrationUrl, JWT_SECRET: TEST_JWT_SECRET };
  expect(await runCommandInProcess('restore', [path], variables)).toMatchObject({ status: 0 });
  const verified = await runCommandInProcess('audit-verify', [], variables);
  expect(verified).toMatchObject({ status: 0, stdout: expect.stringContaining(' 0 finding(s)') });
  await database.drop();
});
