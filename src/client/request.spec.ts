import { prepareRequest } from './request.js';
import type { OperationDescription, OperationInput } from './operation.js';
import { rememberEtag } from './record-versions.js';

const READ: OperationDescription = { method: 'GET', path: '/thing/{id}' };
const CHANGE: OperationDescription = {
  method: 'PATCH',
  path: '/thing/{id}',
  headers: { ifMatch: 'if-match', offset: 'offset' },
};
const prepare = (operation: OperationDescription, input: OperationInput) =>
  prepareRequest('http://localhost', operation, input, {});

it.each<[OperationInput, string, string]>([
  [{ id: 7 }, 'http://localhost', '/thing/7'],
  [{ id: 7 }, 'https://example.org/api/', '/thing/7'],
  [{ id: 'a/b c' }, 'http://localhost', '/thing/a%2Fb%20c'],
  [{ id: 7, from: '2027-03-01T00:00:00+01:00' }, 'http://localhost', '/thing/7?from=2027-03-01T00%3A00%3A00%2B01%3A00'],
  [{ id: 7, dryRun: true, limit: undefined, cursor: null }, 'http://localhost', '/thing/7?dryRun=true'],
  [{ id: 7, kind: ['A', 'B'] }, 'http://localhost', '/thing/7?kind=A&kind=B'],
  [{ id: 7, status: ['A', 'B'] }, 'http://localhost', '/thing/7?status=A%2CB'],
])('appends the input %j to %s as %s', (input, baseUrl, path) => {
  const { url } = prepareRequest(baseUrl, { ...READ, lists: ['status'] }, input, {});
  expect(url).toBe(`${baseUrl.replace(/\/$/, '')}${path}`);
});

it('refuses an input without a path parameter', () => {
  expect(() => prepare(READ, {})).toThrow('id is required.');
});

it.each<[unknown, string]>([
  [3, '"3"'],
  ['3', '"3"'],
  ['"3"', '"3"'],
  ['W/"3"', 'W/"3"'],
  ['*', '*'],
  [{ version: 3 }, '"3"'],
])('sends the version %j as %s', (ifMatch, tag) => {
  expect(prepare(CHANGE, { id: 1, ifMatch }).headers['if-match']).toBe(tag);
});

it('sends the ETag with which a record was read', () => {
  const record = { version: 1 };
  rememberEtag(record, '"from-the-header"');
  expect(prepare(CHANGE, { id: 1, ifMatch: record }).headers['if-match']).toBe('"from-the-header"');
  expect(() => prepare(CHANGE, { id: 1, ifMatch: {} })).toThrow('The record has no version');
});

it('sends headers of the input, and a body as JSON or NDJSON', () => {
  const json = prepare(CHANGE, { id: 1, ifMatch: 1, offset: 0, body: { a: null } });
  expect(json).toMatchObject({ body: '{"a":null}', isRepeatable: false });
  expect(json.headers).toMatchObject({ offset: '0', 'content-type': 'application/json' });
  const contentType = 'application/x-ndjson';
  const lines = prepare({ method: 'POST', path: '/import', contentType }, { body: [{ a: 1 }, { a: 2 }] });
  expect(lines).toMatchObject({ body: '{"a":1}\n{"a":2}\n', headers: { 'content-type': contentType } });
  expect(prepare(READ, { id: 1 })).toMatchObject({ body: undefined, isRepeatable: true });
});

it('creates a key for each write that accepts one, even if the platform has no randomUUID', () => {
  const write = (key?: string) =>
    prepareRequest(
      '',
      { method: 'POST', path: '/', keyed: true },
      {},
      key === undefined ? {} : { idempotencyKey: key },
    );
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const keys = [write(), write()].map(({ headers }) => headers['idempotency-key']!);
  const platform = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!;
  const getRandomValues = crypto.getRandomValues.bind(crypto);
  try {
    Object.defineProperty(globalThis, 'crypto', { value: { getRandomValues }, configurable: true });
    keys.push(write().headers['idempotency-key']!);
  } finally {
    Object.defineProperty(globalThis, 'crypto', platform);
  }
  expect(keys.filter((key) => uuid.test(key))).toHaveLength(3);
  expect(new Set(keys).size).toBe(3);
  expect(write('mine')).toMatchObject({ headers: { 'idempotency-key': 'mine' }, isRepeatable: true });
});
