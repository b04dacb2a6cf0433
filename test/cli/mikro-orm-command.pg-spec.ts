import { execFile } from 'node:child_process';
import { migrations } from '../../src/migrations/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.js';
import { TEST_JWT_SECRET } from '../support/app/test-environment.js';
import { nodeVariables } from '../support/process/node-variables.js';

/* Tests the command line of MikroORM with the configuration in package.json. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('postgresql');
});
afterAll(() => database.drop());

/** Runs a command. Returns its whole output and its exit code. */
function mikroOrm(...words: string[]): Promise<{ code: number; output: string }> {
  const { environment } = database;
  const DATABASE_URL = environment.kind === 'postgresql' ? environment.migrationUrl : '';
  const env = { ...nodeVariables(), NO_COLOR: '1', DATABASE_URL, JWT_SECRET: TEST_JWT_SECRET };
  const command = ['node_modules/@mikro-orm/cli/cli.js', ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

it('finds the configuration, its driver and the database', async () => {
  const { code, output } = await mikroOrm('debug');
  expect(code).toBe(0);
  expect(output).toMatch(/dist\/mikro-orm\.config\.js \(found\)[^]*configuration found[^]*connection successful/);
});

it('lists the migrations', async () => {
  const [listed, pending] = [await mikroOrm('migration:list'), await mikroOrm('migration:pending')];
  expect([listed.code, pending.code]).toEqual([0, 0]);
  for (const { name } of migrations as { name: string }[]) expect(listed.output).toContain(name);
  expect(pending.output).toContain('No pending migrations');
});

it('cannot change anything, because it uses the role of the service', async () => {
  for (const words of [['migration:down'], ['schema:drop', '--run']]) {
    const { code, output } = await mikroOrm(...words);
    expect([words, code]).toEqual([words, 1]);
    expect(output).toMatch(/permission denied|must be owner/);
  }
  expect((await mikroOrm('migration:pending')).output).toContain('No pending migrations');
});
