import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Scheduler } from '../../src/scheduler/index.js';
import { TestApp } from '../support/app/test-app.js';
import { type OpenApiDocument } from '../support/contract/openapi-document.js';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { TestTenant } from '../support/contract/tenant.js';
import { createOwnerToken, createValidCall, fillPath } from '../support/contract/valid-call.js';
import { STATUS_TABLE } from '../support/status-rows.js';

/*
 * How many servers the statements of a request reach, for each operation. Within its transaction, a statement that reaches
 * several fails (test-app.ts). The log of the coordinator also has those before and after it.
 */

/** The Clinic of a secret link is looked up on all servers. People are looked up once, and remembered. */
const LOOK_UP = /find_distributed_clinic\(\)/;
/** Operations with statements that reach all servers, and what these statements are. */
const EXCEPTIONS: Readonly<Record<string, RegExp>> = {
  'GET /calendar/{secret}.ics': LOOK_UP,
  'GET /reminder/opt-out/{kind}/{secret}': LOOK_UP,
  'POST /reminder/opt-out/{kind}/{secret}': LOOK_UP,
  // The reminders of all Clinics are counted.
  'GET /metrics': /count\(\*\)[^]*from reminder/,
};

let app: TestApp;
let document: OpenApiDocument;
let tenant: TestTenant;
let database: string;
beforeAll(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop();
  document = await readOpenApiDocument(app);
  tenant = await TestTenant.create(app);
  // The Clinics of these people are remembered from here on.
  for (const [role, path] of [
    ['CLIENT', 'client'],
    ['CARE_PROVIDER', 'caregiver'],
  ] as const) {
    const token = (await createOwnerToken(role, tenant))!;
    await app.call('GET', `/gateway/profile/${path}/calendar-link`, { token });
  }
  if (app.environment.database.kind !== 'postgresql') throw new Error('npm run test:citus has a cluster');
  database = new URL(app.environment.database.url).pathname.slice(1);
});
afterAll(() => app.stop());

/** Returns the statements of the service that reach several shards while `work` is done. */
async function observe<Result>(work: () => Promise<Result>): Promise<{ result: Result; statements: string[] }> {
  const [coordinator] = JSON.parse(process.env['TEST_CITUS_NODES']!) as [{ logFile: string }];
  const log = openSync(coordinator.logFile, 'r');
  try {
    const { size: start } = fstatSync(log);
    const result = await work();
    const added = Buffer.alloc(fstatSync(log).size - start);
    readSync(log, added, 0, added.length, start);
    return { result, statements: findStatements(added.toString()) };
  } finally {
    closeSync(log);
  }
}

/** Each message of the log begins with the database, the role and the process. */
function findStatements(log: string): string[] {
  const messages = log.split(/^(?=\w+ \w+ \d+ [A-Z]+:)/m).filter((text) => text.startsWith(`${database} scheduling_`));
  const processOf = (text: string) => text.split(' ')[2];
  return messages.flatMap((text, index) => {
    if (!text.includes('multi-task query about to be executed')) return [];
    const statement = messages
      .slice(index)
      .find((next) => next.includes(' STATEMENT:') && processOf(next) === processOf(text));
    return [statement ?? text];
  });
}

it.each(Object.entries(STATUS_TABLE))('%s: the statements reach one shard', async (title, { own }) => {
  const { method, path, pathValues, headers, body } = await createValidCall(title, tenant, document);
  const { result, statements } = await observe(() =>
    app.call(method, fillPath(path, pathValues), { headers: { ...headers }, body }),
  );
  expect(result.status).toBe(own);
  const exception = EXCEPTIONS[title];
  if (exception === undefined) expect(statements).toEqual([]);
  else for (const statement of statements) expect(statement).toMatch(exception);
});

it('covers all operations of the OpenAPI document', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(Object.keys(STATUS_TABLE)).toEqual(expect.arrayContaining(operations));
});

it('finds a statement that reaches several shards', async () => {
  const { result, statements } = await observe(() => app.call('GET', `/calendar/${'a'.repeat(43)}.ics`));
  expect(result.status).toBe(404);
  expect(statements).not.toEqual([]);
  for (const statement of statements) expect(statement).toMatch(LOOK_UP);
});
