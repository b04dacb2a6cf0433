import fc from 'fast-check';
import { sql } from 'kysely';
import { ROLES } from '../../src/shared/access/index.js';
import { anyValue, SchemaArbitraries, mostlyValid } from '../support/contract/arbitraries.js';
import { ResponseContract } from '../support/contract/response-contract.js';
import { repetitionCount } from '../support/app/repetitions.js';
import type { OpenApiDocument, Parameter, Schema } from '../support/contract/openapi-document.js';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { fillPath, createValidCall, createOwnerToken, type ValidCall } from '../support/contract/valid-call.js';
import { STATUS_TABLE } from '../support/status-rows.js';
import { TestTenant } from '../support/contract/tenant.js';
import { TestApp, type TestResponse } from '../support/app/test-app.js';

/*
 * Sends random requests to every operation, from nearly valid to arbitrary ones. No response may be a 5xx, and each
 * must match the OpenAPI document in status, content type and schema. REQUESTS=20000 runs the full size.
 */

const REQUESTS = repetitionCount('REQUESTS', 1_200, 20_000);
/**
 * The expected statuses of the two operations of the specification. Each of them gets a sixth of the requests, at least
 * 600; all others share two thirds.
 */
const SPECIFIED: Readonly<Record<string, readonly number[]>> = {
  'POST /gateway/profile/clinic/design-plan': [201, 400],
  'POST /gateway/profile/caregiver/session': [201, 400, 422],
};
const shareOf = (title: string) =>
  title in SPECIFIED
    ? Math.max(600, Math.ceil(REQUESTS / 6))
    : Math.ceil((REQUESTS * 2) / 3 / (Object.keys(STATUS_TABLE).length - 2));
const UNGUESSED = 7_340_912_563;
/** Number of calls after which an operation gets a new record, because many operations can be executed only once. */
const FRESH = 5;

/** Replacements for parts of a valid call. Undefined parts are not replaced. */
type Sent = {
  authorization: string | undefined;
  values: Record<string, unknown>;
  query: [name: string, value: unknown][];
  headers: Record<string, unknown>;
  body?: string | undefined;
};

let app: TestApp;
let document: OpenApiDocument;
let contract: ResponseContract;
let own: TestTenant;
let other: TestTenant;
let callers: (string | undefined)[];
beforeAll(async () => {
  app = await TestApp.start();
  document = await readOpenApiDocument(app);
  contract = new ResponseContract(document);
  // IDs start at a large number that random values do not hit. Otherwise, a call could delete or reassign the records
  // of other operations.
  for (const table of ['clinic', 'care_provider', 'client', 'book'])
    await app.queryRows(sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${UNGUESSED})`);
  [own, other] = [await TestTenant.create(app), await TestTenant.create(app)];
  callers = [undefined, 'bearer broken'];
  for (const role of ROLES) callers.push(`bearer ${await createOwnerToken(role, own)}`);
});
afterAll(() => app.stop());

it.each(Object.keys(STATUS_TABLE))(
  '%s answers as promised',
  async (title) => {
    const counts = new Map<number, number>();
    let plain = await createValidCall(title, own, document);
    const unchanged: Sent = { authorization: plain.headers['authorization'], values: {}, query: [], headers: {} };
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(sentTo(plain, await createValidCall(title, other, document)), async (sent) => {
        if ((turn += 1) % FRESH === 0) plain = await createValidCall(title, own, document);
        const answer = await call(plain, sent);
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        expect(answer.status).toBeLessThan(500);
        expect(contract.findViolations(plain.method, plain.path, answer)).toEqual([]);
      }),
      { numRuns: shareOf(title), examples: [[unchanged]] },
    );
    // Some requests must be valid, because otherwise the tests would not reach the services.
    expect(counts.get(STATUS_TABLE[title]!.own)).toBeGreaterThan(0);
    for (const status of SPECIFIED[title] ?? []) expect(counts.get(status)).toBeGreaterThan(shareOf(title) / 100);
  },
  600_000,
);

async function call({ method, path, pathValues, headers, body }: ValidCall, sent: Sent): Promise<TestResponse> {
  const query = new URLSearchParams(sent.query.map(([name, value]): [string, string] => [name, written(value)]));
  const { authorization: _, ...others } = headers;
  const raw = 'body' in sent ? sent.body : body === undefined ? undefined : JSON.stringify(body);
  return app.call(method, `${fillPath(path, { ...pathValues, ...sent.values })}?${query.toString()}`, {
    headers: {
      ...others,
      ...(sent.authorization === undefined ? {} : { authorization: sent.authorization }),
      ...Object.fromEntries(Object.entries(sent.headers).map(([name, value]) => [name, fieldValue(value)])),
    },
    ...(raw === undefined ? {} : { raw }),
  });
}

/** Converts a value to text. Some objects cannot be converted by default. */
const written = (value: unknown) =>
  (typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? 'undefined')).toWellFormed();
/** Keeps only the characters that a header value may contain. */
const fieldValue = (value: unknown) => written(value).replaceAll(/[^\x20-\x7e\x80-\xff]/g, '');
/** Keeps only the characters that a path segment may contain. */
const pathValue = (value: unknown) => written(value).replace(/^\.{0,2}$/, 'x');

function sentTo(plain: ValidCall, theirs: ValidCall): fc.Arbitrary<Sent> {
  const { parameters = [] } = plain.operation;
  const arbitraries = new SchemaArbitraries(document, poolsOf(plain, theirs));
  const some = (of: Parameter['in'], right: (parameter: Parameter) => fc.Arbitrary<unknown>) =>
    fc.record(Object.fromEntries(parameters.filter((one) => one.in === of).map((one) => [one.name, right(one)])), {
      requiredKeys: [],
    });
  const value = ({ name, schema }: Parameter) =>
    name === 'cursor' ? mostlyValid(forgedCursor) : mostlyValid(arbitraries.forSchema(schema, name));
  const own = plain.headers['authorization'];
  return fc.record(
    {
      authorization: mostly(fc.constant(own), fc.constantFrom(theirs.headers['authorization'], ...callers)),
      values: mostly(
        fc.constant({}),
        some('path', ({ name }) =>
          fc.oneof(fc.constantFrom(theirs.pathValues[name], 4_000_000_000_000), anyValue).map(pathValue),
        ),
      ),
      query: fc.tuple(some('query', value), some('query', value)).map(([once, twice]) => {
        // Some requests contain a parameter twice.
        const repeated = Object.entries(twice).filter(([name]) => Object.keys(once).length > 2 && name in once);
        return [...Object.entries(once), ...repeated.slice(0, 1)].filter(([, given]) => given !== undefined);
      }),
      headers: fc
        .tuple(mostly(fc.constant({}), some('header', value)), mostly(fc.constant({}), otherType))
        .map(([given, type]) =>
          Object.fromEntries(
            Object.entries({ ...given, ...(plain.body ? type : {}) }).filter(([, one]) => one !== undefined),
          ),
        ),
      ...(plain.body === undefined ? {} : { body: bodyOf(plain, arbitraries) }),
    },
    { requiredKeys: ['authorization', 'values', 'query', 'headers'] },
  );
}

const mostly = <T, U>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: rare });
const otherType = fc.record({
  'content-type': fc.constantFrom('text/plain', 'application/json; charset=utf-8', 'application/x-ndjson', ''),
});
const forgedCursor = fc
  .array(fc.oneof(anyValue, fc.constantFrom('2027-03-01T00:00:00.000Z', 1)), { maxLength: 3 })
  .map((key) => Buffer.from(JSON.stringify(key)).toString('base64url'));

/**
 * Generates bodies that match the schema, nearly match it, are arbitrary, or are not JSON. NDJSON bodies have several
 * lines.
 */
function bodyOf({ operation }: ValidCall, arbitraries: SchemaArbitraries): fc.Arbitrary<string | undefined> {
  const [[type, { schema }]] = Object.entries(operation.requestBody!.content) as [[string, { schema: Schema }]];
  const value = mostly(arbitraries.forSchema(schema), anyValue).map((one) => JSON.stringify(one));
  const text = type.endsWith('ndjson') ? fc.array(value, { maxLength: 4 }).map((lines) => lines.join('\n')) : value;
  return fc.oneof(
    { weight: 12, arbitrary: text },
    fc.string(),
    text.map((whole) => whole.slice(0, -1)),
  );
}

/** Returns values for fields that refer to a record. Most of them are records of the caller. */
function poolsOf(plain: ValidCall, theirs: ValidCall): Record<string, unknown[]> {
  const names = Object.keys(plain.ids);
  return Object.fromEntries(
    names.map((name) => {
      const mine = plain.ids[name];
      return [name, [...Array<unknown>(9).fill(mine), theirs.ids[name], typeof mine === 'number' ? 4e12 : 'none']];
    }),
  );
}
