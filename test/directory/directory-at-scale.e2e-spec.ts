import { EntityManager, MikroORM } from '@mikro-orm/core';
import { jest } from '@jest/globals';
import { sql } from 'kysely';
import {
  Book,
  CareProvider,
  Client,
  ClientAssignment,
  Clinic,
  DeactivationAndReassignmentEvents,
  type DeactivationOrReassignmentEvent,
} from '../../src/directory/index.js';
import { MAX_TRANSACTION_MS } from '../../src/shared/persistence/entity-manager/request-transaction.js';
import { measureEventLoopCpu } from '../support/app/event-loop-cpu.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/* Tests imports of thousands of lines, reassignments, and the events of reassignments and deactivations. */

declare const TEST_DATABASE: 'embedded' | 'postgresql';

const NOBODY = 999_999_999;
const NO_SESSIONS = { sessions: [], sessionCount: 0, conflictCount: 0 };
const NDJSON = 'application/x-ndjson';
const CARE_PROVIDER = '/gateway/profile/clinic/care-provider';
const CLIENT = '/gateway/profile/clinic/client';

type Kind = {
  name: string;
  path: string;
  isAdmin?: boolean;
  entity: typeof Clinic | typeof Book | typeof CareProvider | typeof Client;
  minimal: Record<string, unknown>;
  full: Record<string, unknown>;
  /** The fields that are stored for a line with only the required fields. */
  stored: Record<string, unknown>;
  /** A field with an invalid value. */
  wrong: Record<string, unknown>;
};
const person = {
  minimal: { name: 'Alex' },
  full: { name: 'Åsa 👩‍⚕️', email: 'asa@example.org', timeZone: 'Asia/Kolkata', locale: 'sv-SE' },
  stored: { name: 'Alex', email: null, timeZone: null, locale: null, active: true },
  wrong: { email: 'invalid' },
};
const book = {
  entity: Book,
  minimal: { title: 'Sleep' },
  full: { title: 'Sömn 😴', description: 'Varje natt.', link: 'https://example.org/somn' },
  stored: { title: 'Sleep', description: null, link: null, active: true },
  wrong: { title: 5 },
};
const kinds: Kind[] = [
  { name: 'Client', path: CLIENT, entity: Client, ...person },
  { name: 'Care Provider', path: CARE_PROVIDER, entity: CareProvider, ...person },
  { name: 'Book of a Clinic', path: '/gateway/profile/clinic/book', ...book },
  { name: 'Book of the catalogue', path: '/gateway/admin/book', isAdmin: true, ...book },
  {
    name: 'Clinic',
    path: '/gateway/admin/clinic',
    isAdmin: true,
    entity: Clinic,
    minimal: { name: 'North', timeZone: 'Europe/London' },
    full: { name: 'Süd', timeZone: 'America/Los_Angeles' },
    stored: { name: 'North', timeZone: 'Europe/London', active: true },
    wrong: { timeZone: 'UTC+1' },
  },
];
const ofClinics = kinds.filter(({ isAdmin }) => !isAdmin);
const clients = kinds[0]!;

let app: TestApp;
let clinic: ClinicFixture;
let receivedEvents: DeactivationOrReassignmentEvent[];
let onDeactivation: ((event: DeactivationOrReassignmentEvent) => Promise<void>) | undefined;
beforeAll(async () => {
  app = await TestApp.start();
  app.nest.get(DeactivationAndReassignmentEvents).subscribe(async (event) => {
    receivedEvents.push(event);
    await onDeactivation?.(event);
    return { sessions: [], conflictCount: 0 };
  });
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
  receivedEvents = [];
  onDeactivation = undefined;
});

let ordinal = 0;
/**
 * Returns an external ID that no other test uses. Those of Clinics and of shared Books must be unique across all tests.
 */
const newExternalId = () => `ehr ${(ordinal += 1)}/ü`;
const tokenOf = (kind: Kind, owner = clinic) => (kind.isAdmin ? app.createToken('ADMIN') : owner.clinicToken);
const send = async (kind: Kind, raw: string | Uint8Array<ArrayBuffer>, owner = clinic) =>
  app.call('POST', `${kind.path}/import`, {
    token: await tokenOf(kind, owner),
    raw,
    headers: { 'content-type': NDJSON },
  });
const ndjson = (records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const resultsOf = (answer: TestResponse): TestResponse['body'][] => {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${NDJSON}; charset=utf-8`]);
  return answer.text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
};
const importAll = async (kind: Kind, records: unknown[], owner = clinic) =>
  resultsOf(await send(kind, ndjson(records), owner));
const statusesOf = (results: { status: string }[]) => results.map(({ status }) => status);
/**
 * Returns the records with the external IDs. Compares in the test, because the database stores encrypted external IDs.
 */
const rowsOf = async (kind: Kind, externalIds: string[]) => {
  const rows = await app.asSuperuser((em) =>
    em.find<{ id: number; externalId: string | null; clinicId?: number | null; active: boolean }>(
      kind.entity,
      {},
      { orderBy: { id: 'asc' } },
    ),
  );
  return rows.filter(({ externalId }) => externalId !== null && externalIds.includes(externalId));
};
const pointersOf = (answer: TestResponse) =>
  (answer.body.errors as { pointer: string }[]).map(({ pointer }) => pointer);

describe.each(kinds)('import: $name', (kind) => {
  const { path, minimal, full, stored, wrong } = kind;

  it('creates a record for each line, and returns the results in order', async () => {
    const keys = [newExternalId(), newExternalId()];
    const results = await importAll(kind, [
      { externalId: ` ${keys[0]!} `, ...minimal },
      { ...full, externalId: keys[1], active: false },
    ]);
    const rows = await rowsOf(kind, keys);
    expect(results).toEqual([
      { line: 1, status: 'created', externalId: keys[0], id: rows.find((row) => row.externalId === keys[0])!.id },
      { line: 2, status: 'created', externalId: keys[1], id: rows.find((row) => row.externalId === keys[1])!.id },
    ]);
    const [first, second] = keys.map((key) => rows.find((row) => row.externalId === key));
    expect(first).toMatchObject(stored);
    expect(second).toMatchObject({ ...full, active: false });
    if (path.startsWith('/gateway/profile'))
      expect(rows.map((row) => row.clinicId)).toEqual(Array(2).fill(clinic.clinicId));
  });

  it('replaces existing records like a PUT, and reports unchanged ones', async () => {
    const keys = [newExternalId(), newExternalId(), newExternalId()];
    const before = await importAll(
      kind,
      keys.map((externalId) => ({ externalId, ...full })),
    );
    await app.call('DELETE', `${path}/${before[0].id}`, { token: await tokenOf(kind) });
    const records = [
      { externalId: keys[2], ...full },
      { externalId: keys[0], ...minimal },
      { externalId: newExternalId(), ...minimal },
      { externalId: keys[1], ...full, active: false },
    ];
    const after = await importAll(kind, records);
    expect(statusesOf(after)).toEqual(['unchanged', 'replaced', 'created', 'replaced']);
    expect([after[0].id, after[1].id, after[3].id]).toEqual([before[2].id, before[0].id, before[1].id]);
    const rows = await rowsOf(kind, keys);
    // Absent optional fields are cleared, except that `active` keeps its value.
    expect(rows.find(({ externalId }) => externalId === keys[0])).toMatchObject({ ...stored, active: false });
    expect(rows.find(({ externalId }) => externalId === keys[1])).toMatchObject({ ...full, active: false });
    expect(statusesOf(await importAll(kind, records))).toEqual(Array(4).fill('unchanged'));
    expect(await rowsOf(kind, keys)).toHaveLength(3);
  });

  it('refuses only invalid lines, each with the reason', async () => {
    const [good, late, twice] = [newExternalId(), newExternalId(), newExternalId()];
    const line = (record: object) => JSON.stringify({ externalId: newExternalId(), ...minimal, ...record });
    const bad: [text: string | number[], pointers: string[], detail?: RegExp][] = [
      ['not JSON', [''], /valid JSON/],
      ['{"externalId":', [''], /valid JSON/],
      [`${line({})}${line({})}`, [''], /valid JSON/],
      ['null', ['']],
      ['[]', ['']],
      ['"text"', ['']],
      [`${'['.repeat(40)}${']'.repeat(40)}`, [''], /32 levels/],
      [[0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d], [''], /UTF-8/],
      [JSON.stringify(minimal), ['/externalId']],
      [line({ externalId: null }), ['/externalId']],
      [line({ externalId: ' ' }), ['/externalId']],
      [line({ externalId: 5 }), ['/externalId']],
      [line({ externalId: 'x'.repeat(201) }), ['/externalId']],
      [line({ externalId: 'nul\0' }), ['/externalId'], /NUL/],
      [JSON.stringify({ ...minimal, externalId: '\ud800' }), ['/externalId'], /surrogate/],
      [line({ id: NOBODY, clinicId: NOBODY }), ['/id', '/clinicId'], /not a field/],
      [line({ [Object.keys(minimal)[0]!]: 'nul\0' }), [`/${Object.keys(minimal)[0]!}`], /NUL/],
      [line({ [Object.keys(minimal)[0]!]: undefined }), [`/${Object.keys(minimal)[0]!}`]],
      [line({ active: 'true' }), ['/active']],
      [line(wrong), [`/${Object.keys(wrong)[0]!}`]],
      [line({ externalId: twice, ...wrong }), [`/${Object.keys(wrong)[0]!}`]],
      // The first line claims the external ID, even though the line is refused.
      [line({ externalId: twice }), ['/externalId'], /line 22 already/],
      [line({ externalId: good }), ['/externalId'], /line 1 already/],
    ];
    const texts = [line({ externalId: good }), ...bad.map(([text]) => text), line({ externalId: late })];
    const body = Buffer.concat(texts.flatMap((text) => [Buffer.from(text as string), Buffer.from('\n')]));
    const results = resultsOf(await send(kind, new Uint8Array(body)));
    expect(results.map(({ line: number }) => number)).toEqual(texts.map((_, index) => index + 1));
    expect([results[0].status, results.at(-1).status]).toEqual(['created', 'created']);
    for (const [index, [text, pointers, detail = /./]] of bad.entries()) {
      const { status, errors, ...rest } = results[index + 1];
      expect([text, status, errors.map((one: { pointer: string }) => one.pointer)]).toEqual([
        text,
        'refused',
        pointers,
      ]);
      expect(errors[0].detail).toMatch(detail);
      expect(rest).toEqual({ line: index + 2 });
    }
    expect(await rowsOf(kind, [good, late, twice])).toHaveLength(2);
  });

  it('accepts all line endings, and ignores empty lines, but counts them', async () => {
    const keys = [newExternalId(), newExternalId(), newExternalId()];
    const [a, b, c] = keys.map((externalId) => JSON.stringify({ externalId, ...minimal }));
    const results = resultsOf(await send(kind, `\uFEFF${a!}\r\n\r\n \t \n${b!}\n\n  ${c!}  `));
    expect(results.map(({ line, status }) => [line, status])).toEqual([
      [1, 'created'],
      [4, 'created'],
      [6, 'created'],
    ]);
    expect(await rowsOf(kind, keys)).toHaveLength(3);
  });

  it.each(['', '\n', '\r\n \n'])('answers a body without lines (%j) with none', async (body) => {
    const answer = await send(kind, body);
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it.each<[string, Record<string, string>]>([
    ['JSON', { 'content-type': 'application/json' }],
    ['no content type', { 'content-type': '' }],
    ['text', { 'content-type': 'text/plain' }],
    ['another name', { 'content-type': 'application/ndjson' }],
    ['UTF-16', { 'content-type': `${NDJSON}; charset=utf-16` }],
    ['a content coding', { 'content-type': NDJSON, 'content-encoding': 'gzip' }],
  ])('refuses any other body: %s', async (_, headers) => {
    const externalId = newExternalId();
    const raw = new Uint8Array(Buffer.from(ndjson([{ externalId, ...minimal }])));
    const answer = await app.call('POST', `${path}/import`, { token: await tokenOf(kind), raw, headers });
    expect([answer.status, answer.body.type]).toEqual([415, 'urn:problem:unsupported-media-type']);
    expect(answer.body.detail).toContain(NDJSON);
    expect(await rowsOf(kind, [externalId])).toEqual([]);
  });

  it('accepts an explicit charset of UTF-8', async () => {
    const raw = ndjson([{ externalId: newExternalId(), ...minimal }]);
    const headers = { 'content-type': 'Application/X-NDJSON; charset="UTF-8"' };
    const answer = await app.call('POST', `${path}/import`, { token: await tokenOf(kind), raw, headers });
    expect(statusesOf(resultsOf(answer))).toEqual(['created']);
  });

  it('is refused without a token and to other roles, before a line is read', async () => {
    const externalId = newExternalId();
    const raw = ndjson([{ externalId, ...minimal }]);
    const headers = { 'content-type': NDJSON };
    expect((await app.call('POST', `${path}/import`, { raw, headers })).status).toBe(401);
    const others = [
      clinic.careProviderToken,
      await app.createToken('CLIENT', clinic.clientIds[0]),
      kind.isAdmin ? clinic.clinicToken : await app.createToken('ADMIN'),
    ];
    for (const token of others)
      expect((await app.call('POST', `${path}/import`, { token, raw, headers })).status).toBe(403);
    expect(await rowsOf(kind, [externalId])).toEqual([]);
  });

  it('creates one record per external id, even in concurrent imports', async () => {
    const keys = Array.from({ length: 600 }, newExternalId);
    const bodies = [keys, keys.toReversed(), keys, keys.toReversed()].map((order) =>
      ndjson(order.map((externalId) => ({ externalId, ...minimal }))),
    );
    const answers = await Promise.all(bodies.map((body) => send(kind, body)));
    const statuses = answers.flatMap((answer) => statusesOf(resultsOf(answer)));
    expect(statuses.filter((status) => status === 'created')).toHaveLength(keys.length);
    expect(statuses.filter((status) => status === 'unchanged')).toHaveLength(3 * keys.length);
    expect(await rowsOf(kind, keys)).toHaveLength(keys.length);
  });
});

describe.each(ofClinics)('import: $name, beside another Clinic', (kind) => {
  it('does not change the records of the other Clinic', async () => {
    const externalId = newExternalId();
    const other = await app.createClinic();
    const [theirs] = await importAll(kind, [{ externalId, ...kind.full }], other);
    const [mine] = await importAll(kind, [{ externalId, ...kind.minimal }]);
    expect([theirs.status, mine.status]).toEqual(['created', 'created']);
    const rows = await rowsOf(kind, [externalId]);
    expect(rows.find(({ id }) => id === theirs.id)).toMatchObject({ ...kind.full, clinicId: other.clinicId });
    expect(rows.find(({ id }) => id === mine.id)).toMatchObject({ ...kind.stored, clinicId: clinic.clinicId });
  });

  it('is refused to a deactivated Clinic, even without lines', async () => {
    await app.call('DELETE', `/gateway/admin/clinic/${clinic.clinicId}`, { token: await app.createToken('ADMIN') });
    for (const body of ['', 'bad\n', ndjson([{ externalId: newExternalId(), ...kind.minimal }])])
      expect((await send(kind, body)).status).toBe(403);
  });

  it('prevents caching of responses with personal data', async () => {
    const { headers } = await send(kind, '');
    const isPersonal = kind.entity !== Book;
    expect(headers.get('cache-control')).toBe(`max-age=1, no-cache${isPersonal ? ', no-store' : ''}`);
  });
});

describe('the size of an import', () => {
  const lines = (count: number, change: object = {}) =>
    Array.from({ length: count }, (_, index) => ({ externalId: `bulk-${index}`, name: `Client ${index}`, ...change }));
  const stored = () => app.asSuperuser((em) => em.count(Client, { clinicId: clinic.clinicId }));

  it('imports 10,000 lines; repeated lines change nothing, and changed ones replace the records', async () => {
    const registered = await importAll(kinds[1]!, [
      { externalId: 'one', name: 'One' },
      { externalId: 'two', name: 'Two' },
    ]);
    const took: Record<string, number> = {};
    const timed = async (what: string, records: object[]) => {
      const start = performance.now();
      const results = await importAll(clients, records);
      took[what] = Math.round(performance.now() - start);
      return results;
    };
    const made = await timed('created', lines(10_000, { careProviderExternalIds: ['one', 'two'] }));
    expect(new Set(statusesOf(made))).toEqual(new Set(['created']));
    expect(made.map(({ line, externalId }) => [line, externalId])).toEqual(
      made.map((_, index) => [index + 1, `bulk-${index}`]),
    );
    // The audit trail names all created Clients, and the entry is found by searching for any of them.
    const entries = await app.queryRows(
      sql<{ records: string[]; record_count: number }>`
        select records, record_count from audit_entry
        where clinic_id = ${clinic.clinicId}::bigint and operation = ${`POST ${clients.path}/import`} order by id`,
    );
    expect(entries.flatMap(({ records }) => records)).toEqual(made.map(({ id }) => `client/${id}`));
    expect(entries.map(({ records, record_count }) => [records.length, record_count])).toEqual(
      Array(10).fill([1_000, 10_000]),
    );
    const found = await app.call('GET', `/gateway/profile/clinic/audit?record=client/${made[7_654].id}`, {
      token: clinic.clinicToken,
    });
    expect(found.body.items).toHaveLength(1);
    const again = await timed('unchanged', lines(10_000, { careProviderExternalIds: ['two', 'one'] }));
    expect(again).toEqual(made.map((result) => ({ ...result, status: 'unchanged' })));
    const changed = await timed('replaced', lines(10_000, { locale: 'de', careProviderExternalIds: ['two'] }));
    expect(changed).toEqual(made.map((result) => ({ ...result, status: 'replaced' })));
    expect(await stored()).toBe(10_003);
    const { clinicId } = clinic;
    const counts = await app.asSuperuser(async (em) =>
      Promise.all([
        em.count(Client, { clinicId, locale: 'de' }),
        em.count(ClientAssignment, { clinicId, careProviderId: registered[0].id }),
        em.count(ClientAssignment, { clinicId, careProviderId: registered[1].id }),
      ]),
    );
    expect(counts).toEqual([10_000, 0, 10_000]);
    process.stdout.write(`10,000 lines on ${TEST_DATABASE}, in ms: ${JSON.stringify(took)}\n`);
  });

  it('executes statements per chunk, not per line', async () => {
    const statements = async (count: number, change: object) => {
      const execute = jest.spyOn(app.nest.get(MikroORM).em.getConnection(), 'execute');
      await importAll(clients, lines(count, change));
      const calls = execute.mock.calls.length;
      execute.mockRestore();
      return calls;
    };
    await importAll(kinds[1]!, [{ externalId: 'one', name: 'One' }]);
    for (const change of [{ careProviderExternalIds: ['one'] }, { locale: 'de', careProviderExternalIds: [] }]) {
      const calls = await statements(2_000, change);
      expect(calls).toBeGreaterThan(0);
      expect(calls).toBeLessThan(4 * 20);
    }
  });

  it('publishes deactivations in events of up to 10 people', async () => {
    const made = await importAll(clients, lines(25));
    await importAll(clients, lines(25, { active: false }));
    const ids = receivedEvents.map((event) => (event.kind === 'CLIENTS_DEACTIVATED' ? event.ids : []));
    expect(ids.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(ids.flat().sort((a, b) => a - b)).toEqual(made.map(({ id }) => id as number).sort((a, b) => a - b));
  });

  it('ends after the first chunk if its transaction has lasted too long', async () => {
    await importAll(clients, lines(1_200));
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now');
    onDeactivation = () => Promise.resolve(void clock.mockImplementation(() => now() + MAX_TRANSACTION_MS));
    try {
      const answer = await send(clients, ndjson(lines(1_200, { active: false })));
      expect([answer.status, answer.body.type]).toEqual([503, 'urn:problem:transaction-too-long']);
    } finally {
      clock.mockRestore();
    }
    expect(receivedEvents).toHaveLength(50);
    const { clinicId } = clinic;
    expect(await app.asSuperuser((em) => em.count(Client, { clinicId, active: false }))).toBe(0);
  });

  it('refuses 10,001 lines as a whole', async () => {
    const answer = await send(clients, ndjson(lines(10_001)));
    expect([answer.status, answer.body]).toEqual([
      413,
      expect.objectContaining({
        type: 'urn:problem:content-too-large',
        detail: expect.stringContaining('10000 lines'),
      }),
    ]);
    expect(await stored()).toBe(3);
  });

  it('counts empty lines: accepts 10,000, and refuses more', async () => {
    const record = ndjson([{ externalId: 'last', title: 'A' }]);
    const results = resultsOf(await send(kinds[2]!, '\n'.repeat(9_999) + record));
    expect(results).toEqual([expect.objectContaining({ line: 10_000, status: 'created' })]);
    expect((await send(kinds[2]!, '\n'.repeat(10_000) + record)).status).toBe(413);
  });

  it('8 MiB of empty lines do not block the event loop', async () => {
    const { result: answer, longest } = await measureEventLoopCpu(() => send(clients, '\n'.repeat(8_388_608)));
    expect(answer.status).toBe(413);
    process.stdout.write(`8 MiB of empty lines held up the event loop for ${Math.round(longest)} ms of CPU time\n`);
    expect(longest).toBeLessThan(500);
  });

  it('accepts 8 MiB with or without Content-Length, and refuses more as a whole', async () => {
    const record = JSON.stringify({ externalId: 'large', name: 'Large' });
    const fits = `${record}\n`.padEnd(8_388_608);
    expect(statusesOf(resultsOf(await send(clients, fits)))).toEqual(['created']);
    const tooLarge = `${fits} `;
    const announced = await send(clients, tooLarge.replace('large', 'other'));
    expect([announced.status, announced.body.detail]).toEqual([413, expect.stringContaining('8 MiB')]);
    const response = await fetch(new URL(`${CLIENT}/import`, app.url), {
      method: 'POST',
      headers: { authorization: `bearer ${clinic.clinicToken}`, 'content-type': NDJSON },
      body: new Blob([tooLarge.replace('large', 'other')]).stream(),
      duplex: 'half',
    });
    expect([response.status, await response.json()]).toEqual([413, expect.objectContaining({ status: 413 })]);
    expect(await stored()).toBe(4);
  });

  it('refuses only the line that is larger than 128 KiB', async () => {
    const [first, second, third] = lines(3).map((record) => JSON.stringify(record));
    const results = resultsOf(await send(clients, [first, second!.padEnd(131_073), third].join('\n')));
    expect(results).toEqual([
      expect.objectContaining({ line: 1, status: 'created' }),
      { line: 2, status: 'refused', errors: [{ pointer: '', detail: 'must be at most 131072 bytes long' }] },
      expect.objectContaining({ line: 3, status: 'created' }),
    ]);
  });

  it('limits the number of errors per line', async () => {
    const careProviderExternalIds = Array.from({ length: 50 }, (_, index) => `unknown-${index}`);
    const [result] = await importAll(clients, lines(1, { careProviderExternalIds }));
    expect(result.errors).toHaveLength(10);
  });

  it('does not change the bodies that other operations accept', async () => {
    const headers = { 'content-type': NDJSON };
    const raw = JSON.stringify({ name: 'Alex' });
    const asLines = await app.call('POST', CLIENT, { token: clinic.clinicToken, raw, headers });
    expect([asLines.status, asLines.body.type]).toEqual([415, 'urn:problem:unsupported-media-type']);
    const large = await app.call('POST', CLIENT, { token: clinic.clinicToken, raw: raw + ' '.repeat(1_048_576) });
    expect(large.status).toBe(413);
    expect(await stored()).toBe(3);
  });
});

describe('import of Clients: assignments', () => {
  const assignmentsOf = async (id: number) =>
    (await app.call('GET', `${CLIENT}/${id}`, { token: clinic.clinicToken })).body.careProviderIds as number[];
  let careProviderIds: number[];
  beforeEach(async () => {
    const results = await importAll(
      kinds[1]!,
      ['a', 'b', 'c'].map((externalId) => ({ externalId, name: externalId })),
    );
    careProviderIds = results.map(({ id }) => id as number);
  });
  const line = (externalId: string, careProviderExternalIds?: unknown) => ({
    externalId,
    name: 'Alex',
    careProviderExternalIds,
  });

  it('replaces the assignments when they are given, and leaves them otherwise', async () => {
    const [a, b, c] = careProviderIds;
    const steps: [given: unknown, status: string, assigned: unknown[]][] = [
      [['b', 'a', ' a '], 'created', [a, b]],
      [['a', 'b'], 'unchanged', [a, b]],
      [undefined, 'unchanged', [a, b]],
      [null, 'unchanged', [a, b]],
      [['c', 'b'], 'replaced', [b, c]],
      [[], 'replaced', []],
      [['a'], 'replaced', [a]],
    ];
    for (const [given, status, assigned] of steps) {
      const [result] = await importAll(clients, [line('x', given)]);
      expect([given, result.status]).toEqual([given, status]);
      expect([given, await assignmentsOf(result.id)]).toEqual([given, assigned]);
    }
  });

  it('refuses a line whose Care Providers are not all active in the Clinic', async () => {
    const other = await app.createClinic();
    await importAll(kinds[1]!, [{ externalId: 'foreign', name: 'Foreign' }], other);
    await app.call('DELETE', `${CARE_PROVIDER}/${careProviderIds[2]!}`, { token: clinic.clinicToken });
    await importAll(clients, [line('x', ['a'])]);
    const results = await importAll(clients, [
      { ...line('x', ['a', 'foreign', 'c', 'unknown']), name: 'Changed' },
      line('y', ['b']),
      line('z', 'a'),
      line('long', Array(51).fill('a')),
      line('blank', ['']),
    ]);
    expect(statusesOf(results)).toEqual(['refused', 'created', 'refused', 'refused', 'refused']);
    const pointers = results.map(({ errors }) => errors?.map((error: { pointer: string }) => error.pointer));
    expect(pointers).toEqual([
      ['/careProviderExternalIds/1', '/careProviderExternalIds/2', '/careProviderExternalIds/3'],
      undefined,
      ['/careProviderExternalIds'],
      ['/careProviderExternalIds'],
      ['/careProviderExternalIds/0'],
    ]);
    const [x] = await importAll(clients, [line('x')]);
    // If the refused line had been stored, this line would have changed the name back.
    expect(x.status).toBe('unchanged');
    expect(await assignmentsOf(x.id)).toEqual([careProviderIds[0]]);
  });

  it('does not deadlock with concurrent reassignments, assignments and changes', async () => {
    const keys = Array.from({ length: 50 }, (_, index) => `c-${index}`);
    const made = await importAll(
      clients,
      keys.map((key) => line(key, ['a'])),
    );
    const [a, b] = careProviderIds;
    const calls = Array.from({ length: 8 }, (_, round) => [
      send(clients, ndjson(keys.map((key) => line(key, round % 2 ? ['a'] : ['b'])))),
      app.call('POST', `${CARE_PROVIDER}/${round % 2 ? a! : b!}/reassign`, {
        token: clinic.clinicToken,
        body: { toCareProviderId: round % 2 ? b : a },
      }),
      app.call('PUT', `${CLIENT}/${made[round].id}/care-provider/${a!}`, { token: clinic.clinicToken }),
      app.call('PATCH', `${CLIENT}/${made[round].id}`, { token: clinic.clinicToken, body: { locale: 'de' } }),
    ]).flat();
    for (const { status } of await Promise.all(calls)) expect([200, 204]).toContain(status);
  });
});

describe('POST /gateway/profile/clinic/care-provider/{id}/reassign', () => {
  const reassign = (from: number | string, body: unknown, token = clinic.clinicToken) =>
    app.call('POST', `${CARE_PROVIDER}/${from}/reassign`, { token, body });
  const assigned = async () => {
    const rows = await app.asSuperuser((em) =>
      em.find(ClientAssignment, { clinicId: clinic.clinicId }, { orderBy: { clientId: 'asc', careProviderId: 'asc' } }),
    );
    return rows.map(({ clientId, careProviderId }) => [clientId, careProviderId]);
  };

  it('reassigns all Clients, and publishes an event', async () => {
    const [from, to] = clinic.careProviderIds;
    const [first, second, third] = clinic.clientIds;
    const answer = await reassign(from, { toCareProviderId: to });
    expect([answer.status, answer.body]).toEqual([200, { reassigned: [first, second], ...NO_SESSIONS }]);
    expect(answer.headers.get('cache-control')).toMatch(/no-store/);
    expect(await assigned()).toEqual([first, second, third].map((id) => [id, to]));
    expect(receivedEvents).toEqual([
      {
        kind: 'CLIENTS_REASSIGNED',
        clinicId: clinic.clinicId,
        fromCareProviderId: from,
        toCareProviderId: to,
        clientIds: [first, second],
        at: app.clock.now(),
      },
    ]);
    // When repeated, the reassignment finds no Clients and sends no event.
    expect((await reassign(from, { toCareProviderId: to, clientIds: null })).body).toEqual({
      reassigned: [],
      ...NO_SESSIONS,
    });
    expect((await reassign(from, { toCareProviderId: to, clientIds: [second] })).body).toEqual({
      reassigned: [],
      ...NO_SESSIONS,
    });
    expect(receivedEvents).toHaveLength(1);
  });

  it('names the reassigned Clients in the audit trail, also if the request does not', async () => {
    const [from, to] = clinic.careProviderIds;
    await reassign(from, { toCareProviderId: to });
    const entries = await app.queryRows(sql<{ records: string[] }>`
      select to_jsonb(records) as records from audit_entry
      where clinic_id = ${clinic.clinicId} and operation = ${`POST ${CARE_PROVIDER}/{id}/reassign`}`);
    const [first, second] = clinic.clientIds;
    const names = [`care-provider/${from}`, `care-provider/${to}`, `client/${first}`, `client/${second}`];
    expect(entries).toEqual([{ records: names }]);
  });

  it('reassigns the named Clients, and keeps one assignment where a Client already has the new Care Provider', async () => {
    const [from, to] = clinic.careProviderIds;
    const [first, second, third] = clinic.clientIds;
    await app.call('PUT', `${CLIENT}/${second}/care-provider/${to}`, { token: clinic.clinicToken });
    const answer = await reassign(from, { toCareProviderId: to, clientIds: [second, second, third] });
    expect([answer.status, answer.body]).toEqual([200, { reassigned: [second], ...NO_SESSIONS }]);
    expect(await assigned()).toEqual([
      [first, from],
      [second, to],
      [third, to],
    ]);
    expect((await reassign(from, { toCareProviderId: to, clientIds: [] })).body).toEqual({
      reassigned: [],
      ...NO_SESSIONS,
    });
    expect(receivedEvents).toHaveLength(1);
  });

  it('reassigns from a deactivated Care Provider, and reassigns deactivated Clients', async () => {
    const [from, to] = clinic.careProviderIds;
    for (const path of [`${CARE_PROVIDER}/${from}`, `${CLIENT}/${clinic.clientIds[0]}`])
      await app.call('DELETE', path, { token: clinic.clinicToken });
    expect((await reassign(from, { toCareProviderId: to })).body.reassigned).toEqual(clinic.clientIds.slice(0, 2));
  });

  it('refuses invalid Care Providers and Clients, and changes nothing', async () => {
    const other = await app.createClinic();
    const [from, to] = clinic.careProviderIds;
    const before = await assigned();
    const cases: [body: object, status: number, pointers: string[]][] = [
      [{}, 400, ['/toCareProviderId']],
      [{ toCareProviderId: null }, 400, ['/toCareProviderId']],
      [{ toCareProviderId: '2' }, 400, ['/toCareProviderId']],
      [{ toCareProviderId: 0 }, 400, ['/toCareProviderId']],
      [{ toCareProviderId: to, clientIds: 5 }, 400, ['/clientIds']],
      [{ toCareProviderId: to, clientIds: [0, 'x'] }, 400, ['/clientIds/0', '/clientIds/1']],
      [{ toCareProviderId: to, clientIds: Array(10_001).fill(1) }, 400, ['/clientIds']],
      [{ toCareProviderId: from }, 422, ['/toCareProviderId']],
      [{ toCareProviderId: NOBODY }, 422, ['/toCareProviderId']],
      [{ toCareProviderId: other.careProviderIds[0] }, 422, ['/toCareProviderId']],
      [
        { toCareProviderId: to, clientIds: [clinic.clientIds[0], NOBODY, other.clientIds[0]] },
        422,
        ['/clientIds/1', '/clientIds/2'],
      ],
    ];
    for (const [body, status, pointers] of cases) {
      const answer = await reassign(from, body);
      expect([body, answer.status, pointersOf(answer)]).toEqual([body, status, pointers]);
    }
    await app.call('DELETE', `${CARE_PROVIDER}/${to}`, { token: clinic.clinicToken });
    const toInactive = await reassign(from, { toCareProviderId: to });
    expect([toInactive.status, pointersOf(toInactive)]).toEqual([422, ['/toCareProviderId']]);
    expect(await assigned()).toEqual(before);
    expect(receivedEvents.filter(({ kind }) => kind === 'CLIENTS_REASSIGNED')).toEqual([]);
  });

  it('responds with 404 for a Care Provider of another Clinic', async () => {
    const other = await app.createClinic();
    const body = { toCareProviderId: clinic.careProviderIds[1] };
    for (const id of [NOBODY, other.careProviderIds[0]]) expect((await reassign(id, body)).status).toBe(404);
    expect((await reassign(clinic.careProviderIds[0], body, other.clinicToken)).status).toBe(404);
    expect((await reassign('x', body)).status).toBe(400);
  });

  it('is allowed for the Clinic only', async () => {
    const [from, to] = clinic.careProviderIds;
    const tokens = [clinic.careProviderToken, await app.createToken('ADMIN')];
    for (const token of tokens) expect((await reassign(from, { toCareProviderId: to }, token)).status).toBe(403);
    expect((await app.call('POST', `${CARE_PROVIDER}/${from}/reassign`, { body: {} })).status).toBe(401);
  });

  it('is rolled back if a handler fails', async () => {
    const before = await assigned();
    onDeactivation = () => Promise.reject(new Error('a handler fails'));
    const [from, to] = clinic.careProviderIds;
    expect((await reassign(from, { toCareProviderId: to })).status).toBe(500);
    expect(await assigned()).toEqual(before);
  });
});

describe.each([
  ['CLIENTS_DEACTIVATED', clients],
  ['CARE_PROVIDERS_DEACTIVATED', kinds[1]!],
] as const)('deactivation: %s', (event, kind) => {
  let id: number;
  let externalId: string;
  let deactivations: [name: string, call: () => Promise<unknown>][];
  const activate = () => app.call('PATCH', `${kind.path}/${id}`, { token: clinic.clinicToken, body: { active: true } });
  const isActive = async () => (await rowsOf(kind, [externalId]))[0]!.active;
  beforeEach(async () => {
    externalId = newExternalId();
    id = (await importAll(kind, [{ externalId, name: 'Alex' }]))[0].id as number;
    const token = clinic.clinicToken;
    const body = { name: 'Alex', active: false };
    deactivations = [
      ['DELETE', () => app.call('DELETE', `${kind.path}/${id}`, { token })],
      ['PATCH', () => app.call('PATCH', `${kind.path}/${id}`, { token, body: { active: false } })],
      ['PUT', () => app.call('PUT', `${kind.path}/external/${encodeURIComponent(externalId)}`, { token, body })],
      ['import', () => send(kind, ndjson([{ externalId, ...body }]))],
    ];
  });

  it('are published once by every way to deactivate', async () => {
    const expected = { kind: event, clinicId: clinic.clinicId, ids: [id], isErased: false, at: app.clock.now() };
    for (const [name, call] of deactivations) {
      for (let time = 0; time < 2; time += 1) await call();
      expect([name, await isActive(), receivedEvents]).toEqual([name, false, [expected]]);
      receivedEvents = [];
      await activate();
      expect(receivedEvents).toEqual([]);
    }
  });

  it('are published once for concurrent deactivations', async () => {
    await Promise.all([...deactivations, ...deactivations, ...deactivations].map(([, call]) => call()));
    expect(receivedEvents).toHaveLength(1);
  });

  it('are not published by any other change', async () => {
    const token = clinic.clinicToken;
    await app.call('PATCH', `${kind.path}/${id}`, { token, body: { name: 'Alexis' } });
    await app.call('PUT', `${kind.path}/external/${encodeURIComponent(externalId)}`, { token, body: { name: 'A' } });
    await importAll(kind, [
      { externalId, name: 'B' },
      { externalId: newExternalId(), name: 'Never there', active: false },
    ]);
    expect((await app.call('DELETE', `${kind.path}/${NOBODY}`, { token })).status).toBe(404);
    const other = await app.createClinic();
    expect((await app.call('DELETE', `${kind.path}/${id}`, { token: other.clinicToken })).status).toBe(404);
    expect(receivedEvents).toEqual([]);
  });

  it('are handled in the transaction that deactivates', async () => {
    const em = app.nest.get(EntityManager);
    for (const [name, call] of deactivations) {
      const title = `handled ${newExternalId()}`;
      const seen: unknown[] = [];
      onDeactivation = async () => {
        seen.push(await em.count<{ id: number; active: boolean }>(kind.entity, { id, active: false }));
        await em.persist(new Book(clinic.clinicId, { title }, app.clock.now())).flush();
      };
      await call();
      expect([name, seen, await app.asSuperuser((own) => own.count(Book, { title }))]).toEqual([name, [1], 1]);
      onDeactivation = undefined;
      await activate();
    }
  });

  it('are rolled back if a handler fails, with its writes', async () => {
    const em = app.nest.get(EntityManager);
    for (const [name, call] of deactivations) {
      const title = `undone ${newExternalId()}`;
      onDeactivation = async () => {
        await em.persist(new Book(clinic.clinicId, { title }, app.clock.now())).flush();
        throw new Error('a handler fails');
      };
      expect([name, await call()]).toEqual([name, expect.objectContaining({ status: 500 })]);
      expect([name, await isActive(), await app.asSuperuser((own) => own.count(Book, { title }))]).toEqual([
        name,
        true,
        0,
      ]);
    }
  });

  it('change nothing else in the directory', async () => {
    const before = await app.asSuperuser((em) => em.count(ClientAssignment, { clinicId: clinic.clinicId }));
    const own = kind === clients ? clinic.clientIds[0] : clinic.careProviderIds[0];
    await app.call('DELETE', `${kind.path}/${own}`, { token: clinic.clinicToken });
    expect(await app.asSuperuser((em) => em.count(ClientAssignment, { clinicId: clinic.clinicId }))).toBe(before);
  });
});

it('an interrupted import stores nothing, and can be sent again', async () => {
  const lines = Array.from({ length: 1_200 }, (_, index) => ({ externalId: `part-${index}`, name: 'Alex' }));
  await importAll(clients, [lines[700]!]);
  const leaving = lines.map((line, index) => (index === 700 ? { ...line, active: false } : line));
  onDeactivation = () => Promise.reject(new Error('a handler fails'));
  expect((await send(clients, ndjson(leaving))).status).toBe(500);
  const stored = () => app.asSuperuser((em) => em.count(Client, { clinicId: clinic.clinicId }));
  expect(await stored()).toBe(3 + 1);
  onDeactivation = undefined;
  const statuses = statusesOf(await importAll(clients, leaving));
  expect(statuses).toEqual(lines.map((_, index) => (index === 700 ? 'replaced' : 'created')));
  expect(await stored()).toBe(3 + 1_200);
  expect(receivedEvents).toHaveLength(2);
});

it('a Client with more reminders than a statement has parameters can be deactivated', async () => {
  const { careProviderToken: token, clientIds, clinicId } = clinic;
  const body = { clientId: clientIds[0], title: 'T', date: '2030/03/01', time: '09:30', reminders: ['-P1D'] };
  expect((await app.call('POST', '/gateway/profile/caregiver/session', { token, body })).status).toBe(201);
  await app.queryRows(sql`
    insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, not_after,
      status, story, created_at)
    select clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at, not_after, status,
      story, created_at
    from reminder cross join generate_series(1, 66000)
    where clinic_id = ${clinicId} and recipient_kind = 'CLIENT'`);
  expect((await app.call('DELETE', `${CLIENT}/${clientIds[0]}`, { token: clinic.clinicToken })).status).toBe(204);
  const statuses = await app.queryRows(sql<{ status: string }>`
    select distinct status from reminder where clinic_id = ${clinicId} and recipient_kind = 'CLIENT'`);
  expect(statuses).toEqual([{ status: 'WITHDRAWN' }]);
});
