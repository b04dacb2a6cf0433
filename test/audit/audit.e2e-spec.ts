import { sql } from 'kysely';
import { decryptAuditRows } from '../support/app/audit-callers.js';
import { PUBLIC, type Role } from '../../src/shared/access/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { Session } from '../../src/session/index.js';
import {
  findExample,
  replaceIds,
  requiresIfMatch,
  type OpenApiDocument,
} from '../support/contract/openapi-document.js';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { createConnectionLostError, interceptStatements } from '../support/database/statement-interceptor.js';
import { ignoresUnknownQuery, roleOf, STATUS_TABLE } from '../support/status-rows.js';
import { nextExternalId, RECORD_FACTORIES, TestTenant, type CreatedRecord } from '../support/contract/tenant.js';
import { waitFor, TestApp, type TestResponse } from '../support/app/test-app.js';

/* Tests the audit entries of all operations. audit-verify.e2e-spec.ts tests manipulated entries. */

type Entry = {
  id: number;
  clinic_id: number | null;
  actor_role: string;
  actor_id: number | null;
  actor_subject: string | null;
  access: string;
  operation: string;
  records: string[];
  record_count: number;
  request_id: string;
  address: string;
  outcome: string;
};

const CLINIC = '/gateway/profile/clinic';
const CAREGIVER = '/gateway/profile/caregiver';
/** Operations that read no client data and therefore have no audit entry. */
const NOT_OF_CLIENTS = new RegExp(
  String.raw`^GET (/(health|metrics|design-plan|reminder/opt-out)|/gateway/(admin|profile/\w+)/(administrator-access|clinic|book|design-plan|revoked-token)(/|$)|/gateway/admin/revoked-token-holder|${CAREGIVER}/reminder-preference|${CLINIC}/reminder-preference)`,
);
/** Writes of administrators whose entry is also in the audit trail of the Clinic. */
const IN_BOTH_TRAILS = /^(POST|DELETE) \/gateway\/admin\/administrator-access/;
/** As above; the Clinic is that of the path. */
const REQUEST_OF_ERASURE = 'POST /gateway/admin/clinic/{id}/erasure';

let app: TestApp;
let document: OpenApiDocument;
let own: TestTenant;
let tokens: Partial<Record<Role, string>>;
beforeAll(async () => {
  app = await TestApp.start();
  document = await readOpenApiDocument(app);
  own = await TestTenant.create(app);
  tokens = {
    CLINIC: own.fixture.clinicToken,
    CARE_PROVIDER: own.fixture.careProviderToken,
    CLIENT: await app.createToken('CLIENT', own.fixture.clientIds[0]),
    ADMIN: await app.createToken('ADMIN'),
  };
});
afterAll(() => app.stop());

const entries = async (): Promise<Entry[]> => {
  // In JSON, IDs are numbers on both databases.
  const rows = await app.queryRows(sql<{ entry: Entry }>`select to_jsonb(e) as entry from audit_entry e order by id`);
  return decryptAuditRows(
    app,
    rows.map(({ entry }) => entry),
  );
};

/** Advances the clock so that the next denied request without a token counts as a first one again. */
async function forgetDenials(): Promise<void> {
  for (const _ of [1, 2]) {
    app.clock.advance({ minutes: 1 });
    await app.nest.get(Scheduler).run('audit-repeated-denials');
  }
}

/** Calls an operation. Returns its response and the audit entries that it has added. */
async function audited(call: () => Promise<TestResponse>): Promise<{ answer: TestResponse; left: Entry[] }> {
  const before = new Set((await entries()).map(({ id }) => id));
  const answer = await call();
  return { answer, left: (await entries()).filter(({ id }) => !before.has(id)) };
}

describe.each(Object.entries(STATUS_TABLE))('%s', (title, row) => {
  const [method, path] = title.split(' ') as [string, string];
  const role = roleOf(path);
  const parameters = () => (document.paths[path]![method.toLowerCase()]!.parameters ?? []).map(({ name }) => name);
  const pathOf = (made: CreatedRecord) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(made.path[name]));

  async function call(made: CreatedRecord, query = ''): Promise<() => Promise<TestResponse>> {
    const token = role === PUBLIC ? undefined : tokens[role];
    const operation = document.paths[path]![method.toLowerCase()]!;
    const { example, type } = findExample(operation);
    const body = example && replaceIds(example, { ...own.ids, ...made.body, externalId: nextExternalId() });
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': type! };
    if (requiresIfMatch(operation)) {
      headers['if-match'] = (await app.call('GET', pathOf(made), { ...(token && { token }) })).headers.get('etag')!;
    }
    return () => app.call(method, pathOf(made) + query, { ...(token && { token }), body, headers });
  }

  it('writes one entry for a write or a read of client data, and none for other reads', async () => {
    const made = (await row.on?.(own)) ?? { path: {} };
    const { answer, left } = await audited(await call(made));
    expect([answer.status, answer.status < 300]).toEqual([row.own, true]);
    if (NOT_OF_CLIENTS.test(title)) {
      expect(left).toEqual([]);
      return;
    }
    const clinics: (number | null)[] = role === 'ADMIN' ? [null] : [own.fixture.clinicId];
    // The Clinic also sees how an administrator gets access to its data, and asks for its erasure.
    if (IN_BOTH_TRAILS.test(title)) clinics.push(own.fixture.clinicId);
    if (title === REQUEST_OF_ERASURE) clinics.push(Number(made.path['id']));
    const access = method === 'GET' ? 'READ' : 'WRITE';
    expect(left).toMatchObject(
      clinics.map((clinic_id) => ({ clinic_id, access, operation: title, outcome: 'OK', address: '127.0.0.1' })),
    );
    // The entry names the record in the path, whatever the response.
    if ('id' in made.path && path.includes('{id}')) {
      expect(left[0]!.records.map((record) => record.split('/')[1])).toContain(String(made.path['id']));
    }
    expect(JSON.stringify(left)).not.toMatch(/canary|ext-\d/);
  });

  it('writes an entry for a denied request, whose response does not change', async () => {
    if (role === PUBLIC) return;
    // The operation determines whether a request is a read, and the query parameters do not.
    const target = `${pathOf({ path: {} })}?dryRun=true`;
    const { answer, left } = await audited(() => app.call(method, target, { token: 'broken' }));
    expect(answer.status).toBe(401);
    const access = method === 'GET' || parameters().includes('dryRun') ? 'READ' : 'WRITE';
    expect(left).toEqual([
      expect.objectContaining({ clinic_id: null, actor_role: 'NOBODY', access, operation: title, outcome: '401' }),
    ]);
  });

  it('writes a READ entry for a change with ?dryRun=true; without support for dry runs, a WRITE entry, or none if the status is 400', async () => {
    if (method === 'GET') return;
    const made = (await row.on?.(own)) ?? { path: {} };
    const { answer, left } = await audited(await call(made, '?dryRun=true'));
    if (!parameters().includes('dryRun') && !ignoresUnknownQuery(title)) {
      expect([answer.status, answer.body.errors?.[0].pointer, left]).toEqual([400, '/dryRun', []]);
      return;
    }
    const isDryRun = parameters().includes('dryRun');
    expect(answer.status).toBe(isDryRun ? 200 : row.own);
    const access = isDryRun ? 'READ' : 'WRITE';
    expect(left).toEqual([expect.objectContaining({ access, operation: title, outcome: 'OK' })]);
  });
});

describe('an entry', () => {
  it('contains the actor, the operation, the records, the address and the id of the request', async () => {
    const { path } = await RECORD_FACTORIES.session(own);
    const { clinicId, careProviderIds, clientIds, careProviderToken: token } = own.fixture;
    const { answer, left } = await audited(() => app.call('GET', `${CAREGIVER}/session/${path['id']}`, { token }));
    expect(left).toEqual([
      expect.objectContaining({
        ...{ clinic_id: clinicId, actor_role: 'CARE_PROVIDER', actor_id: careProviderIds[0] },
        actor_subject: `care_provider-${careProviderIds[0]}`,
        records: expect.arrayContaining([
          `session/${path['id']}`,
          `client/${clientIds[0]}`,
          `series/${answer.body.seriesId}`,
        ]),
        record_count: left[0]!.records.length,
      }),
    ]);
  });

  it('contains the id of a created record', async () => {
    const { clientIds, careProviderToken: token } = own.fixture;
    const body = { clientId: clientIds[0], title: 'A', date: '2027/06/01', time: '10:00' };
    const { answer, left } = await audited(() => app.call('POST', `${CAREGIVER}/session`, { token, body }));
    const seriesId = new URL(answer.headers.get('location')!, app.url).searchParams.get('seriesId');
    expect(left[0]!.records.toSorted()).toEqual([`client/${clientIds[0]}`, `series/${seriesId}`]);
  });

  it.each([
    ['of a created record', 201],
    ['of a denial', 422],
  ])('%s contains no record that only an ignored field of the body names', async (_, status) => {
    const { clientIds, careProviderToken: token } = own.fixture;
    const clientId = status === 201 ? clientIds[0] : 999_998;
    const ignored = { clientIds: [clientIds[1]], sessionId: [1, 2, 3] };
    const body = { clientId, title: 'A', date: '2027/06/03', time: '10:00', ...ignored };
    const { answer, left } = await audited(() => app.call('POST', `${CAREGIVER}/session`, { token, body }));
    expect(answer.status).toBe(status);
    const records = left[0]!.records.filter((name: string) => !name.startsWith('series/'));
    expect(records).toEqual([`client/${clientId}`]);
  });

  it('for a PUT contains the id of the record, not the external id', async () => {
    const { path } = await RECORD_FACTORIES.client(own);
    const { left } = await audited(() =>
      app.call('PUT', `${CLINIC}/client/external/${path['externalId']}`, {
        token: tokens.CLINIC!,
        body: { name: 'N' },
      }),
    );
    expect(left.map(({ records }) => records)).toEqual([[`client/${path['id']}`]]);
  });

  it('for a secret link contains its owner, not the secret', async () => {
    const { path } = await RECORD_FACTORIES.clientLink(own);
    const { left } = await audited(() => app.call('GET', `/calendar/${path['secret']}.ics`));
    expect(left).toEqual([
      expect.objectContaining({
        ...{ actor_role: 'CALENDAR_LINK', actor_id: null, actor_subject: null, clinic_id: own.fixture.clinicId },
        records: [`calendar-link/${path['id']}`, `client/${own.fixture.clientIds[0]}`],
      }),
    ]);
    expect(JSON.stringify(left)).not.toContain(path['secret']);
  });

  it('is not written if the transaction is rolled back', async () => {
    const { clientIds, careProviderToken: token } = own.fixture;
    const body = { clientId: clientIds[0], title: 'A', date: '2027/02/30', time: '10:00' };
    const { answer, left } = await audited(() => app.call('POST', `${CAREGIVER}/session`, { token, body }));
    expect([answer.status, left]).toEqual([400, []]);
    const { path } = await RECORD_FACTORIES.completedSession(own);
    const again = await audited(() => app.call('POST', `${CAREGIVER}/session/${path['id']}/complete`, { token }));
    expect([again.answer.status, again.left]).toEqual([409, []]);
  });
});

describe('a denial', () => {
  it("because of the role belongs to the caller's Clinic", async () => {
    const { left } = await audited(() =>
      app.call('GET', `${CLINIC}/session`, { token: own.fixture.careProviderToken }),
    );
    expect(left).toEqual([
      expect.objectContaining({ clinic_id: own.fixture.clinicId, actor_role: 'CARE_PROVIDER', outcome: '403' }),
    ]);
  });

  it('of an unknown or foreign record names the record', async () => {
    const { left } = await audited(() => app.call('GET', `${CLINIC}/session/999999`, { token: tokens.CLINIC! }));
    expect(left).toEqual([
      expect.objectContaining({ outcome: '404', records: ['session/999999'], clinic_id: own.fixture.clinicId }),
    ]);
  });

  it('of a foreign Client in a body names the Client', async () => {
    const body = { clientId: 999_999, title: 'A', date: '2027/06/01', time: '10:00' };
    const { left } = await audited(() =>
      app.call('POST', `${CAREGIVER}/session`, { token: tokens.CARE_PROVIDER!, body }),
    );
    expect(left).toEqual([expect.objectContaining({ outcome: '422', records: ['client/999999'] })]);
  });

  it('of an unknown secret link belongs to no Clinic', async () => {
    const { left } = await audited(() => app.call('GET', '/calendar/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.ics'));
    expect(left).toEqual([expect.objectContaining({ outcome: '404', actor_role: 'CALENDAR_LINK', clinic_id: null })]);
  });

  it('is not recorded for an unknown path', async () => {
    const { answer, left } = await audited(() => app.call('GET', '/nothing/here/1', { token: tokens.CLINIC! }));
    expect([answer.status, left]).toEqual([404, []]);
  });
});

describe('if the database cannot store an entry', () => {
  let untap: (() => void) | undefined;
  afterEach(() => untap?.());
  const refuse = (statement: string) => {
    if (statement.includes('insert into audit_entry')) throw createConnectionLostError();
  };

  it('the write is rolled back', async () => {
    const body = { clientId: own.fixture.clientIds[0], title: 'Untold', date: '2027/06/02', time: '10:00' };
    untap = await interceptStatements(app, { before: refuse });
    const { answer, left } = await audited(() =>
      app.call('POST', `${CAREGIVER}/session`, { token: tokens.CARE_PROVIDER!, body }),
    );
    expect([answer.status, left]).toEqual([503, []]);
    // Filters in the test, because the database cannot compare titles in an encrypted column.
    const sessions = await app.asSuperuser((em) => em.find(Session, {}));
    expect(sessions.filter(({ title }) => title === 'Untold')).toEqual([]);
  });

  it('the response to a denied request does not change', async () => {
    untap = await interceptStatements(app, { before: refuse });
    const { answer, left } = await audited(() =>
      app.call('GET', `${CLINIC}/session/999999`, { token: tokens.CLINIC! }),
    );
    expect([answer.status, answer.body.type, left]).toEqual([404, 'urn:problem:not-found', []]);
  });

  it('a denied request is answered without waiting for the entry', async () => {
    await forgetDenials();
    const gate = Promise.withResolvers<undefined>();
    untap = await interceptStatements(app, {
      before: (statement) => (statement.includes('insert into audit_entry') ? gate.promise : undefined),
    });
    const answer = await app.call('GET', `${CLINIC}/session`, { token: 'broken' });
    expect(answer.status).toBe(401);
    gate.resolve(undefined);
    await waitFor(async () => (await entries()).some(({ request_id }) => answer.body.instance.endsWith(request_id)));
  });
});

describe('reading the trail', () => {
  const list = (query: string, token = tokens.CLINIC!) => app.call('GET', `${CLINIC}/audit?${query}`, { token });

  it('shows a Clinic its own entries, the newest first, page by page', async () => {
    const other = await TestTenant.create(app);
    const seen: { id: number }[] = [];
    let cursor: string | null = '';
    do {
      const { body } = await list(`limit=7&operation=POST ${CAREGIVER}/session${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.items);
      cursor = body.nextCursor;
    } while (cursor !== null);
    const all = (await entries()).filter(({ operation }) => operation === `POST ${CAREGIVER}/session`);
    const ownIds = all.filter(({ clinic_id }) => clinic_id === own.fixture.clinicId).map(({ id }) => id);
    expect(all.some(({ clinic_id }) => clinic_id === other.fixture.clinicId)).toBe(true);
    expect(seen.map(({ id }) => id)).toEqual(ownIds.toReversed());
    expect(ownIds.length).toBeGreaterThan(7);
  });

  it('filters by actor, record, access, outcome and time', async () => {
    const { path } = await RECORD_FACTORIES.session(own);
    const record = `session/${path['id']}`;
    app.clock.advance({ minutes: 1 });
    const { careProviderIds, careProviderToken: token } = own.fixture;
    await app.call('GET', `${CAREGIVER}/session/${path['id']}`, { token });
    await app.call('POST', `${CAREGIVER}/session/${path['id']}/cancel`, {
      ...{ token, body: { reason: 'OTHER' } },
    });
    const now = app.clock.now().toString();
    const found = async (query: string) =>
      (await list(query)).body.items.map(({ operation }: { operation: string }) => operation.split(' ')[0]);
    expect(await found(`record=${record}`)).toEqual(['POST', 'GET']);
    expect(await found(`record=${record}&access=READ`)).toEqual(['GET']);
    expect(await found(`record=${record}&actor=care-provider/${careProviderIds[0]}`)).toEqual(['POST', 'GET']);
    expect(await found(`record=${record}&actor=client/${careProviderIds[0]}`)).toEqual([]);
    expect(await found(`record=${record}&actorRole=CLINIC`)).toEqual([]);
    expect(await found(`record=${record}&outcome=DENIED`)).toEqual([]);
    expect(await found(`record=${record}&from=${now}`)).toEqual(['POST', 'GET']);
    expect(await found(`record=${record}&to=${now}`)).toEqual([]);
    expect((await list('outcome=403')).body.items[0]).toMatchObject({ outcome: '403' });
  });

  it('exports the same entries as lines, the oldest first', async () => {
    const query = `record=client/${own.fixture.clientIds[0]}`;
    const exported = await app.call('GET', `${CLINIC}/audit/export?${query}`, { token: tokens.CLINIC! });
    const listed = await list(`${query}&limit=200`);
    expect(exported.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(exported.headers.get('cache-control')).toContain('no-store');
    const lines = exported.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual(listed.body.items.toReversed());
  });

  it('shows an administrator the entries without a Clinic', async () => {
    await forgetDenials();
    await app.call('GET', `${CLINIC}/session`);
    const { body } = await app.call('GET', '/gateway/admin/audit?limit=200', { token: tokens.ADMIN! });
    const ids = new Set((await entries()).filter(({ clinic_id }) => clinic_id === null).map(({ id }) => id));
    expect(body.items[0]).toMatchObject({ actorRole: 'NOBODY', outcome: '401', operation: `GET ${CLINIC}/session` });
    expect(body.items.every(({ id }: { id: number }) => ids.has(id))).toBe(true);
  });
});
