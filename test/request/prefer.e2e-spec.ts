import { randomUUID } from 'node:crypto';
import { type OpenApiDocument } from '../support/contract/openapi-document.js';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { ResponseContract } from '../support/contract/response-contract.js';
import { TestTenant } from '../support/contract/tenant.js';
import { createValidCall, fillPath, type ValidCall } from '../support/contract/valid-call.js';
import { STATUS_TABLE } from '../support/status-rows.js';
import { TestApp } from '../support/app/test-app.js';

/*
 * Tests the `Prefer` header (RFC 7240) of every operation that supports it according to the OpenAPI document.
 * `strict-input` tests `handling`.
 */

type Documented = { parameters?: { name: string; description?: string }[] };

let app: TestApp;
let tenant: TestTenant;
let document: OpenApiDocument;
let titles: string[];

beforeAll(async () => {
  app = await TestApp.start();
  tenant = await TestTenant.create(app);
  document = await readOpenApiDocument(app);
  titles = Object.keys(STATUS_TABLE).filter((title) => /`return=minimal`/.test(preferOf(title)));
});
afterAll(() => app.stop());

const operationOf = (title: string) => {
  const [method, path] = title.split(' ') as [string, string];
  return document.paths[path]![method.toLowerCase()] as Documented;
};
const preferOf = (title: string) =>
  operationOf(title).parameters?.find(({ name }) => name === 'prefer')?.description ?? '';
const send = ({ method, path, pathValues, headers, body }: ValidCall, prefer?: string, more: object = {}) =>
  app.call(method, fillPath(path, pathValues), {
    body,
    headers: { ...headers, ...(prefer === undefined ? {} : { prefer }), ...more },
  });

/** Imports, links, and commands about access, erasure, retention and the sending of reminders. */
const WITHOUT_RETURN = new RegExp(
  [
    String.raw`/(clinic|book|care-provider|client)/import$`,
    String.raw`/(calendar-link|administrator-access|revoked-token|revoked-token-holder|erasure|legal-hold|retention)\b`,
    String.raw`/client/\{id\}/care-provider/\{careProviderId\}$`,
    String.raw`/reminder/redrive$`,
  ].join('|'),
);

it('is known by all operations that create or change records, apart from imports, links and commands', () => {
  const changes = Object.keys(STATUS_TABLE).filter((title) => /^(POST|PUT|PATCH|DELETE) \/gateway/.test(title));
  const others = changes.filter((title) => !titles.includes(title));
  expect(others).toEqual(changes.filter((title) => WITHOUT_RETURN.test(title)));
  expect(titles.length).toBeGreaterThan(50);
});

it('return=minimal returns no body, and makes the same change', async () => {
  const wrong: unknown[] = [];
  for (const title of titles) {
    const answer = await send(await createValidCall(title, tenant, document), 'return=minimal');
    const { headers, status, text } = answer;
    const seen = [status, text, headers.get('preference-applied'), /\bPrefer\b/.test(headers.get('vary') ?? '')];
    const expected = STATUS_TABLE[title]!.own === 201 ? 201 : 204;
    if (JSON.stringify(seen) !== JSON.stringify([expected, '', 'return=minimal', true])) wrong.push([title, ...seen]);
    if (expected === 201 && !headers.has('location')) wrong.push([title, 'has no location']);
  }
  expect(wrong).toEqual([]);
});

it('return=representation returns what was created or changed, as documented', async () => {
  const contract = new ResponseContract(document);
  const wrong: unknown[] = [];
  for (const title of titles) {
    const answer = await send(await createValidCall(title, tenant, document), 'return=representation');
    const { status, headers } = answer;
    if (![200, 201].includes(status) || headers.get('preference-applied') !== 'return=representation')
      wrong.push([title, status, headers.get('preference-applied'), answer.text]);
    const [method, path] = title.split(' ') as [string, string];
    wrong.push(...contract.findViolations(method, path, answer));
  }
  expect(wrong).toEqual([]);
});

it('return=representation of Create Session(s) has client data, which is not to be stored', async () => {
  const call = await createValidCall('POST /gateway/profile/caregiver/session', tenant, document);
  const { status, headers } = await send(call, 'return=representation');
  expect([status, headers.get('cache-control')]).toEqual([201, 'max-age=1, no-cache, no-store']);
});

it('return=representation returns a record that a PUT by external id creates, as documented', async () => {
  const contract = new ResponseContract(document);
  const puts = titles.filter((title) => /^PUT .*\/external\/\{externalId\}$/.test(title));
  expect(puts.length).toBeGreaterThan(3);
  for (const title of puts) {
    const call = await createValidCall(title, tenant, document);
    const pathValues = { ...call.pathValues, externalId: randomUUID() };
    const answer = await send({ ...call, pathValues }, 'return=representation');
    const [method, path] = title.split(' ') as [string, string];
    expect([answer.status, ...contract.findViolations(method, path, answer)]).toEqual([201]);
  }
});

it('is ignored by operations that do not know it, and by dry runs', async () => {
  const call = await createValidCall('POST /gateway/profile/clinic/session', tenant, document);
  const dry = await send({ ...call, path: `${call.path}?dryRun=true` }, 'return=minimal');
  expect([dry.status, dry.headers.get('preference-applied')]).toEqual([200, null]);
  expect(dry.body.sessions).toHaveLength(4);
  const other = await send(call, 'return=other, respond-async, return=minimal');
  expect([other.status, other.headers.get('preference-applied')]).toEqual([201, null]);
  const read = await app.call('GET', '/gateway/profile/clinic/session', {
    token: tenant.fixture.clinicToken,
    headers: { prefer: 'return=minimal' },
  });
  expect([read.status, read.headers.get('preference-applied'), read.body.items.length > 0]).toEqual([200, null, true]);
});

it('is part of the idempotent request, and a replay has the preferences of the first response', async () => {
  const call = await createValidCall('POST /gateway/profile/clinic/client', tenant, document);
  const headers = { 'idempotency-key': randomUUID() };
  const first = await send(call, 'return=representation', headers);
  const again = await send(call, 'wait=1, Return="representation"', headers);
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
  expect(again.headers.get('preference-applied')).toBe('return=representation');
  for (const prefer of [undefined, 'return=minimal']) {
    const answer = await send(call, prefer, headers);
    expect([answer.status, answer.body.type]).toEqual([422, 'urn:problem:idempotency-key-reused']);
  }
});

it('can be sent by pages of other origins, which can read Preference-Applied', async () => {
  const asked = {
    ...{ origin: 'https://app.example.org', 'access-control-request-method': 'POST' },
    'access-control-request-headers': 'prefer',
  };
  const { headers } = await app.call('OPTIONS', '/gateway/profile/clinic/client', { headers: asked });
  expect(headers.get('access-control-allow-headers')).toMatch(/\bprefer\b/);
  const answer = await app.call('GET', '/health/live', { headers: { origin: 'https://app.example.org' } });
  expect(answer.headers.get('access-control-expose-headers')).toMatch(/\bpreference-applied\b/);
});
