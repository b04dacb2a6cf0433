import { Scheduler } from '../../src/scheduler/index.js';
import type { OpenApiDocument } from '../support/contract/openapi-document.js';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { digestTables, TestTenant } from '../support/contract/tenant.js';
import { createValidCall, fillPath, type ValidCall } from '../support/contract/valid-call.js';
import { TestApp, type TestResponse } from '../support/app/test-app.js';
import { STATUS_TABLE } from '../support/status-rows.js';

/* Tests `If-Match` with every operation that changes one versioned record. */

const CLINIC = '/gateway/profile/clinic';
const PLAN = `${CLINIC}/design-plan`;
const RECORDS = [
  ...[`${CLINIC}/client`, `${CLINIC}/care-provider`, `${CLINIC}/book`, '/gateway/admin/clinic'],
  '/gateway/admin/book',
];
const STEPS = ['cancel', 'complete', 'no-show', 'undo'];
const OPERATIONS = [
  ...RECORDS.flatMap((path) => [`PUT ${path}/external/{externalId}`, `PATCH ${path}/{id}`, `DELETE ${path}/{id}`]),
  ...[`PUT ${PLAN}/{id}`, `DELETE ${PLAN}/{id}`, `POST ${PLAN}/{id}/restore`],
  ...[`${CLINIC}/session`, '/gateway/profile/caregiver/session'].flatMap((path) => [
    `PATCH ${path}/{id}`,
    ...STEPS.map((step) => `POST ${path}/{id}/${step}`),
  ]),
];
/** A version that no record of a test has. */
const OTHER_VERSION = '"99999"';

let app: TestApp;
let document: OpenApiDocument;
let tenant: TestTenant;
beforeAll(async () => {
  app = await TestApp.start();
  // Stops all jobs, so that only the tested calls change rows.
  await app.nest.get(Scheduler).stop();
  document = await readOpenApiDocument(app);
  tenant = await TestTenant.create(app);
});
afterAll(() => app.stop());

function send({ method, path, pathValues, headers, body }: ValidCall, tag: string | undefined): Promise<TestResponse> {
  const { authorization, 'if-match': _, ...others } = headers;
  const token = authorization!.replace('bearer ', '');
  return app.call(method, fillPath(path, pathValues), {
    ...{ token, body },
    headers: { ...others, ...(tag && { 'if-match': tag }) },
  });
}

async function readTag({ path, pathValues, headers }: ValidCall): Promise<string> {
  const record = `${path.replace(/\/(external\/)?\{.*/, '')}/${pathValues['id']}`;
  const read = await app.call('GET', record, { token: headers['authorization']!.replace('bearer ', '') });
  expect([read.status, read.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"\d+"$/)]);
  return read.headers.get('etag')!;
}

it('covers every operation of which the OpenAPI document shows the header, but for the retention', () => {
  const shown = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { parameters = [] }]) =>
      parameters.some(({ name }) => name === 'if-match') ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  expect(shown.sort()).toEqual([...OPERATIONS, `PUT ${CLINIC}/retention`].sort());
});

describe.each(OPERATIONS)('%s', (title) => {
  it('changes nothing if the version is another one, and succeeds with the current one', async () => {
    const call = await createValidCall(title, tenant, document);
    const tag = await readTag(call);
    const before = await digestTables(app);
    for (const other of [OTHER_VERSION, `W/${tag}`, tag.replace('"', '"0'), '"x"']) {
      const refused = await send(call, other);
      expect([other, refused.status, refused.body.type]).toEqual([other, 412, 'urn:problem:precondition-failed']);
    }
    expect(await digestTables(app)).toEqual(before);
    expect((await send(call, tag)).status).toBe(STATUS_TABLE[title]!.own);
  });
});

it.each(RECORDS.map((path) => `PUT ${path}/external/{externalId}`))(
  '%s creates no record with the header, because none has the version',
  async (title) => {
    const call = await createValidCall(title, tenant, document);
    const fresh = { ...call, pathValues: { externalId: `fresh ${title}`.slice(0, 60) } };
    const before = await digestTables(app);
    for (const tag of ['"1"', '"0"', '"x"']) expect([tag, (await send(fresh, tag)).status]).toEqual([tag, 412]);
    expect(await digestTables(app)).toEqual(before);
    expect((await send(fresh, undefined)).status).toBe(201);
  },
);

it.each(RECORDS.map((path) => `PUT ${path}/external/{externalId}`))(
  '%s with If-None-Match: * creates a record, and replaces none',
  async (title) => {
    const call = await createValidCall(title, tenant, document);
    const pathValues = { externalId: `only new ${title}`.slice(0, 60) };
    const put = (headers: object, tag?: string) =>
      send({ ...call, pathValues, headers: { ...call.headers, ...headers } }, tag);
    expect((await put({ 'if-none-match': '*' })).status).toBe(201);
    const before = await digestTables(app);
    const refused = await put({ 'if-none-match': '*' });
    expect([refused.status, refused.body.type]).toEqual([412, 'urn:problem:precondition-failed']);
    expect(refused.body.detail).toBe('The record exists already (If-None-Match: *).');
    expect((await put({ 'if-none-match': '*' }, '"1"')).status).toBe(412);
    const { status, body } = await put({ 'if-none-match': '"1"' });
    expect([status, body.errors[0].pointer]).toEqual([400, '/if-none-match']);
    expect(await digestTables(app)).toEqual(before);
  },
);
