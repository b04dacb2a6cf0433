import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { findExample, type OpenApiDocument } from '../support/contract/openapi-document.js';
import { digestTables, TestTenant } from '../support/contract/tenant.js';
import { createValidCall, fillPath, type ValidCall } from '../support/contract/valid-call.js';
import { isLenient, STATUS_TABLE } from '../support/status-rows.js';
import { TestApp, type TestResponse } from '../support/app/test-app.js';

/*
 * Tests unknown fields in the body of every operation of the OpenAPI document: 400 with a pointer, at every nesting
 * level. The two operations of the specification ignore them, unless the request has `Prefer: handling=strict`.
 */

const NAME = 'no~such/name';
const ESCAPED = 'no~0such~1name';
const UNKNOWN = 'is not a field of this request';

let app: TestApp;
let tenant: TestTenant;
let document: OpenApiDocument;

beforeAll(async () => {
  app = await TestApp.start();
  tenant = await TestTenant.create(app);
  document = await readOpenApiDocument(app);
});
afterAll(() => app.stop());

const send = ({ method, path, pathValues, headers }: ValidCall, body: unknown, more: Record<string, string> = {}) => {
  const raw = headers['content-type'] === 'application/x-ndjson' ? `${JSON.stringify(body)}\n` : undefined;
  return app.call(method, fillPath(path, pathValues), {
    ...(raw ? { raw } : { body }),
    headers: { ...headers, ...more },
  });
};

/** Returns the errors of a refused request, or of the first line of an import. */
function errorsOf({ status, text, body }: TestResponse): { pointer: string; detail: string }[] {
  if (status === 400) return body.errors;
  return status === 200 ? JSON.parse(text.split('\n')[0]!).errors : [];
}

/**
 * Returns a copy of a body in which every object has an unknown field and a misspelt one, and the errors that they must
 * cause.
 */
function withUnknownMembers(body: unknown): { body: unknown; expected: string[] } {
  const expected: string[] = [];
  const copy = (value: unknown, base: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => copy(item, `${base}/${index}`));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [name, copy(member, `${base}/${name}`)] as const);
    expected.push(`${base}/${ESCAPED} ${UNKNOWN}`);
    const near = Object.keys(value).find((name) => name.length > 5);
    if (near === undefined) return { ...Object.fromEntries(members), [NAME]: 1 };
    const misspelt = `${near.slice(0, -2)}${near.at(-1)!}`;
    expected.push(`${base}/${misspelt} ${UNKNOWN}: did you mean ${near}?`);
    return { ...Object.fromEntries(members), [NAME]: 1, [misspelt]: 1 };
  };
  return { body: copy(body, ''), expected };
}

it('refuses unknown members in every operation with a body, at every level', async () => {
  const titles = Object.keys(STATUS_TABLE).filter((title) => {
    const [method, path] = title.split(' ') as [string, string];
    return findExample(document.paths[path]![method.toLowerCase()]!).example !== undefined;
  });
  expect(titles.length).toBeGreaterThan(25);
  const wrong: unknown[] = [];
  for (const title of titles) {
    const call = await createValidCall(title, tenant, document);
    const { body, expected } = withUnknownMembers(call.body);
    const before = await digestTables(app);
    const answer = await send(call, body, isLenient(title) ? { prefer: 'handling=strict' } : {});
    const errors = errorsOf(answer).map(({ pointer, detail }) => `${pointer} ${detail}`);
    if (JSON.stringify(errors.sort()) !== JSON.stringify(expected.sort())) wrong.push([title, answer.status, errors]);
    // Imports are excluded, because they write an audit entry even if all lines are refused.
    const changed = JSON.stringify(await digestTables(app)) !== JSON.stringify(before);
    if (changed && !title.endsWith('/import')) wrong.push([title, 'has changed something']);
  }
  expect(wrong).toEqual([]);
});

it('refuses members in the body of an operation without a body, and other values than objects', async () => {
  const title = 'POST /gateway/profile/caregiver/session/{id}/complete';
  const call = await createValidCall(title, tenant, document);
  const headers = { 'content-type': 'application/json' };
  const refused = await send(call, { note: 'x' }, headers);
  expect([refused.status, errorsOf(refused)]).toEqual([400, [{ pointer: '/note', detail: UNKNOWN }]]);
  for (const body of [5, [1], 'x']) {
    const { status, body: problem } = await send(call, body, headers);
    expect([status, problem.errors]).toEqual([400, [expect.objectContaining({ pointer: '' })]]);
  }
  expect((await send(call, {}, headers)).status).toBe(200);
});

it.each(['application/json', 'application/json; charset=latin1', 'text/plain', 'application/x-www-form-urlencoded'])(
  'accepts an empty body with the content type %s where no body is needed',
  async (contentType) => {
    const sendEmpty = async (title: string) => {
      const { method, path, pathValues, headers } = await createValidCall(title, tenant, document);
      const options = { raw: '', headers: { ...headers, 'content-type': contentType } };
      return app.call(method, fillPath(path, pathValues), options);
    };
    expect((await sendEmpty('POST /gateway/profile/caregiver/session/{id}/complete')).status).toBe(200);
    const refused = await sendEmpty('POST /gateway/profile/caregiver/session');
    expect([refused.status, errorsOf(refused)]).toEqual([400, [{ pointer: '', detail: 'must be an object' }]]);
  },
);

it('reports unknown names in the query and the body together with other violations', async () => {
  const call = await createValidCall('POST /gateway/profile/caregiver/design-plan/{id}/apply', tenant, document);
  const body = { ...(call.body as object), durationMinute: 30, time: '9.30' };
  const answer = await send({ ...call, path: `${call.path}?dryrun=true` }, body);
  expect([answer.status, errorsOf(answer).map(({ pointer, detail }) => `${pointer} ${detail}`)]).toEqual([
    400,
    [
      '/dryrun is not a query parameter of this operation: did you mean dryRun?',
      '/durationMinute is not a field of this request: did you mean durationMinutes?',
      '/time must be a time HH:mm from 00:00 to 23:59',
    ],
  ]);
});

describe.each(['POST /gateway/profile/clinic/design-plan', 'POST /gateway/profile/caregiver/session'])(
  '%s',
  (title) => {
    it('ignores unknown members, and refuses them if the request prefers strict handling', async () => {
      const call = await createValidCall(title, tenant, document);
      const withUnknown = { ...call, path: `${call.path}?colour=blue` };
      const body = { ...(call.body as object), durationMinute: 30 };
      for (const prefer of ['handling=lenient', 'respond-async', 'handling=other, handling=strict', '"'])
        expect((await send(withUnknown, body, { prefer })).status).toBe(201);
      const plain = await send(withUnknown, body);
      expect([plain.status, plain.headers.get('preference-applied')]).toEqual([201, null]);
      const before = await digestTables(app);
      const answer = await send(withUnknown, body, { prefer: 'wait=5, Handling="STRICT"; x=1' });
      expect([answer.status, answer.headers.get('preference-applied')]).toEqual([400, 'handling=strict']);
      expect(errorsOf(answer).map(({ pointer }) => pointer)).toEqual(['/colour', '/durationMinute']);
      expect(await digestTables(app)).toEqual(before);
      const right = await send(call, call.body, { prefer: 'handling=strict' });
      expect([right.status, right.headers.get('preference-applied')]).toEqual([201, 'handling=strict']);
    });
  },
);
