import { Scheduler } from '../../src/scheduler/index.js';
import { PUBLIC, type Role } from '../../src/shared/access/index.js';
import {
  findExample,
  toFieldName,
  listQueryReferences,
  listBodyReferences,
  replaceIds,
  requiresIfMatch,
  setValueAtPath,
  type OpenApiDocument,
  type Operation,
} from '../support/contract/openapi-document.js';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { ignoresUnknownQuery, REFERENCES, roleOf, STATUS_TABLE } from '../support/status-rows.js';
import {
  digestTables,
  nextExternalId,
  TestTenant,
  type ParameterValues,
  type CreatedRecord,
} from '../support/contract/tenant.js';
import { TestApp, type TestResponse } from '../support/app/test-app.js';

/*
 * Tests every operation with every caller, for an own, a foreign and an absent record. Operations, parameters, bodies
 * and the fields that refer to a record come from the OpenAPI document. The expected statuses come from
 * support/status-rows.ts, to which each new operation must be added.
 */

type Caller = { name: string; role?: Role; tenant?: TestTenant; isPeer?: boolean; token?: string };
/**
 * The target of a call: the values of the path, and the tenant that owns them. `of` is undefined if the record is
 * absent or the values do not belong together.
 */
type Target = { title: string; path: ParameterValues; made: CreatedRecord; of?: TestTenant };

/** An ID that no record has. */
const ABSENT = 4_000_000_000_000;
const ABSENT_UUID = '019abcde-0000-7000-8000-00000000dead';

let app: TestApp;
let document: OpenApiDocument;
let own: TestTenant;
let other: TestTenant;
let callers: Caller[];
const fields = new Set<string>();

beforeAll(async () => {
  app = await TestApp.start();
  // Stops all jobs, so that only the tested calls change rows.
  await app.nest.get(Scheduler).stop();
  document = await readOpenApiDocument(app);
  [own, other] = [await TestTenant.create(app), await TestTenant.create(app)];
  callers = [
    { name: 'no token' },
    { name: 'ADMIN', role: 'ADMIN', tenant: own, token: await app.createToken('ADMIN') },
    ...(await personsOf(own, 'own', 0)),
    { name: 'own CLINIC', role: 'CLINIC', tenant: own, token: own.fixture.clinicToken },
    ...(await personsOf(own, 'beside', 1)),
    ...(await personsOf(other, 'foreign', 0)),
    { name: 'foreign CLINIC', role: 'CLINIC', tenant: other, token: other.fixture.clinicToken },
  ];
});
afterAll(() => app.stop());

/**
 * Returns the Care Provider and the Client that own the records of a Clinic, or two others who may not see these
 * records.
 */
async function personsOf(tenant: TestTenant, name: string, index: 0 | 1): Promise<Caller[]> {
  const { careProviderIds, clientIds } = tenant.fixture;
  const of = { tenant, isPeer: index === 1 };
  return [
    {
      name: `${name} CARE_PROVIDER`,
      role: 'CARE_PROVIDER',
      ...of,
      token: await app.createToken('CARE_PROVIDER', careProviderIds[index]),
    },
    { name: `${name} CLIENT`, role: 'CLIENT', ...of, token: await app.createToken('CLIENT', clientIds[index]) },
  ];
}

const callerOf = (role: Role | typeof PUBLIC, tenant: TestTenant) =>
  callers.find((caller) => caller.role === role && (caller.tenant === tenant || role === 'ADMIN'))!;

it('covers every operation of the service, and no other', () => {
  const served = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(served.sort()).toEqual(Object.keys(STATUS_TABLE).sort());
});

describe.each(Object.entries(STATUS_TABLE))('%s', (title, row) => {
  const [method, path] = title.split(' ') as [string, string];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const role = roleOf(path);
  const isChange = method !== 'GET';
  /** Whether the operation is open to anyone who knows the secret link. */
  const isSecretLink = role === PUBLIC && names.length > 0;
  let operation: Operation;
  let parameters: string[];
  beforeAll(() => {
    operation = document.paths[path]![method.toLowerCase()]!;
    parameters = (operation.parameters ?? []).map(({ name }) => name);
  });

  const make = async (tenant: TestTenant): Promise<CreatedRecord> => {
    const maker = tenant === other ? (row.foreign ?? row.on) : row.on;
    return (await maker?.(tenant)) ?? { path: {} };
  };
  const pathOf = ({ path: values }: Pick<Target, 'path'>) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

  /** Returns the `If-Match` header with the owner's current version, if the operation requires one. */
  const ifMatch = async (tenant: TestTenant, made: CreatedRecord): Promise<Record<string, string>> => {
    if (!requiresIfMatch(operation)) return {};
    const answer = await app.call('GET', pathOf(made), { token: callerOf(role, tenant).token! });
    return { 'if-match': answer.headers.get('etag')! };
  };

  async function call(
    caller: Caller,
    target: Target,
    query = '',
    change = (body: unknown) => body,
  ): Promise<TestResponse> {
    const { example, type } = findExample(operation);
    const ids = { ...(caller.tenant ?? own).ids, ...target.made.body };
    const body = example && change(replaceIds(example, { ...ids, externalId: nextExternalId() }));
    const headers = {
      ...(body === undefined ? {} : { 'content-type': type! }),
      // Without an id in the path, each caller changes a record of their own Clinic.
      ...(await ifMatch((names.length === 0 ? caller.tenant : target.of) ?? own, target.made)),
    };
    return app.call(method, pathOf(target) + query, { ...(caller.token && { token: caller.token }), body, headers });
  }

  /**
   * Returns the targets: all values of one Clinic, all of the other, one foreign value among own ones, and one absent
   * value.
   */
  async function targets(): Promise<Target[]> {
    const [mine, theirs] = [await make(own), await make(other)];
    const whole = { title: 'own', path: mine.path, made: mine, of: own };
    if (names.length === 0) return [whole];
    const owned = names.filter((name) => mine.path[name] !== theirs.path[name]);
    const mixed = owned.length < 2 ? [] : owned;
    return [
      whole,
      { title: 'foreign', path: theirs.path, made: theirs, of: other },
      ...mixed.map((name) => ({
        title: `foreign ${name}`,
        path: { ...mine.path, [name]: theirs.path[name]! },
        made: mine,
      })),
      ...names.map((name) => ({
        title: `absent ${name}`,
        path: { ...mine.path, [name]: absent(name, mine.path[name]) },
        made: mine,
      })),
    ];
  }

  function expected(caller: Caller, { of }: Target): number {
    if (role === PUBLIC) return names.length === 0 || of !== undefined ? row.own : (row.absent ?? 404);
    if (caller.role === undefined) return 401;
    if (caller.role !== role) return 403;
    const isOpen = names.length === 0 || (of !== undefined && (of === caller.tenant || row.everywhere === true));
    if (!isOpen) return row.absent ?? 404;
    if (!caller.isPeer) return row.own;
    return row.peer ?? (names.length === 0 ? row.own : 404);
  }

  it('responds to every caller with the status of the table, and changes no foreign records', async () => {
    const wrong: unknown[] = [];
    const shared = await targets();
    for (const query of parameters.includes('dryRun') ? ['?dryRun=true', ''] : ['']) {
      const cells = callers.flatMap((caller) =>
        shared.map((target) => ({ caller, target, status: expected(caller, target) })),
      );
      const refused = cells.filter(({ status }) => status >= 300);
      const refusals = new Map<string, string>();
      const before = await stored();
      for (const { caller, target, status } of refused) {
        const answer = await call(caller, target, query);
        const seen = complaints(caller, answer, status);
        // The response for a hidden record must be the same as for an absent one.
        const told = said(answer);
        if ((refusals.get(`${caller.name} ${status}`) ?? told) !== told) seen.push('differs', told);
        refusals.set(`${caller.name} ${status}`, told);
        if (seen.length > 0) wrong.push([caller.name, target.title + query, ...seen]);
      }
      // The rows are compared only once, after all calls: a digest takes longer than a call, and no call reverts
      // another one.
      const changed = differences(before, await stored());
      if (changed.length > 0) wrong.push(['a refused call', query, ...changed]);
      for (const { caller, target, status } of cells.filter((cell) => !refused.includes(cell))) {
        const isDry = query !== '';
        // Each caller who may change the record gets a new one.
        const made = isChange && !isDry && target.of ? await make(target.of) : target.made;
        const start = await stored();
        const answer = await call(caller, target.of ? { ...target, made, path: made.path } : target, query);
        const seen = complaints(caller, answer, isDry ? 200 : status);
        const end = await stored();
        const strangers = isSecretLink ? [own, other].filter((one) => one !== target.of) : strangersTo(caller);
        const theirs = differences(start, end, isDry ? undefined : strangers);
        seen.push(...theirs.filter((key) => caller.role !== 'ADMIN' || !OF_ADMINISTRATORS.test(key)));
        if (isChange && !isDry && differences(start, end).length === 0) seen.push('has changed nothing');
        if (seen.length > 0) wrong.push([caller.name, target.title + query, ...seen]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('refuses unknown query parameters, unless it ignores them', async () => {
    const mine = await make(own);
    const caller = role === PUBLIC ? callers[0]! : callerOf(role, own);
    const target = { title: 'own', path: mine.path, made: mine, of: own };
    const known = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
    const query = `?${['no~such/name', ...known.map((name) => `${name}_`)].map(encodeURIComponent).join('=1&')}`;
    const before = await stored();
    const answer = await call(caller, target, query);
    if (ignoresUnknownQuery(title)) {
      expect(answer.status).toBe(row.own);
      return;
    }
    const detail = 'is not a query parameter of this operation';
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [
        { pointer: '/no~0such~1name', detail },
        ...known.map((name) => ({ pointer: `/${name}_`, detail: `${detail}: did you mean ${name}?` })),
      ],
    ]);
    expect(differences(before, await stored())).toEqual([]);
    if (role !== PUBLIC) expect((await call(callers[0]!, target, query)).status).toBe(401);
  });

  it('treats a foreign id in its body or query like an absent one', async () => {
    const wrong: unknown[] = [];
    if (role === PUBLIC) return;
    const caller = callerOf(role, own);
    for (const at of listBodyReferences(operation, document)) {
      const field = toFieldName(at);
      fields.add(field);
      const [mine, theirs] = [await make(own), await make(other)];
      const target = { title: 'own', path: mine.path, made: mine, of: own };
      const value = { ...own.ids, ...mine.body }[field];
      const foreign = row.everywhere === true ? undefined : { ...other.ids, ...theirs.body }[field];
      const values = [foreign, absent(field, value), own.unusableIds[field]];
      const before = await stored();
      const pointer = `/${at.join('/')}`;
      const answers = new Set<string>();
      for (const wrongValue of values.filter((one) => one !== undefined)) {
        const answer = await call(caller, target, '', (body) => setValueAtPath(body, at, wrongValue));
        const refused = (names.length === 0 ? row.absent : undefined) ?? REFERENCES[field];
        if (answer.status !== refused) wrong.push([at.join('/'), wrongValue, answer.status, answer.text]);
        const { errors } = (answer.body ?? {}) as { errors?: { pointer: string }[] };
        if (answer.status === 422 && errors?.[0]?.pointer !== pointer) wrong.push([pointer, errors]);
        answers.add(said(answer));
      }
      if (answers.size > 1) wrong.push([at.join('/'), 'differs', ...answers]);
      wrong.push(...differences(before, await stored()));
      const answer = await call(caller, target, '', (body) => setValueAtPath(body, at, value));
      const seen = complaints(caller, answer, row.own);
      if (seen.length > 0 || value === undefined) wrong.push([at.join('/'), value, 'of its own', ...seen]);
    }
    for (const name of listQueryReferences(operation)) {
      const target = { title: 'own', path: {}, made: { path: {} }, of: own };
      const [mine, theirs, nobodys] = [
        await call(caller, target, `?${name}=${own.ids[name]}`),
        await call(caller, target, `?${name}=${other.ids[name]}`),
        await call(caller, target, `?${name}=${absent(name, own.ids[name])}`),
      ];
      const counts = [mine, theirs].map((answer) => itemsOf(answer).length);
      // All records belong to Clinics, so none of them belongs to an administrator.
      if ((counts[0] === 0) !== (role === 'ADMIN') || counts[1] !== 0 || said(theirs) !== said(nobodys))
        wrong.push([name, ...counts, mine.status, theirs.text, nobodys.text]);
    }
    expect(wrong).toEqual([]);
  });

  /** Returns digests of the stored rows by table and Clinic. They are not needed for reads. */
  const stored = async () => (isChange ? digestTables(app) : {});

  function complaints(caller: Caller, { status, text, body }: TestResponse, expected: number): unknown[] {
    const { items, sessions = items } = (body ?? {}) as { items?: unknown[]; sessions?: unknown };
    return [
      ...(status === expected ? [] : [status, `not ${expected}`, text]),
      ...(text.includes('"refused"') ? [text] : []),
      ...(isSecretLink ? [] : hiddenFrom(caller)).filter((word) => text.includes(word)),
      // An empty list counts as a failure, because it would not reveal records of another Clinic.
      ...(Array.isArray(sessions) && sessions.length === 0 && !caller.isPeer ? ['is empty'] : []),
    ];
  }
});

it('lists every field that refers to a record, and no other', () => {
  expect([...fields].sort()).toEqual(Object.keys(REFERENCES).sort());
});

/** Returns the text of a response, without the parts that differ in every response. */
function said({ status, headers, text }: TestResponse): string {
  // The time and the remaining rate limit change with every response.
  const telling = [...headers].filter(([name]) => name !== 'date' && name !== 'ratelimit');
  return JSON.stringify([status, telling, text.replace(/"instance":"[^"]*"/, '')]);
}

/** Returns the items of a list, the Sessions of a week, or the lines of an export. */
function itemsOf({ status, body, text }: TestResponse): unknown[] {
  if (status !== 200) throw new Error(text);
  const { items, sessions } = (body ?? {}) as { items?: unknown[]; sessions?: unknown[] };
  return items ?? sessions ?? text.split('\n').filter(Boolean);
}

/** Returns a value in the same format that belongs to no record. */
function absent(name: string, like: string | number | undefined): string | number {
  if (['revision', 'from', 'to'].includes(name)) return 999_999;
  if (typeof like === 'number') return ABSENT;
  if (typeof like === 'string' && like.includes('/')) return like.replace(/\d+$/, String(ABSENT));
  return name === 'seriesId' ? ABSENT_UUID : nextExternalId();
}

/** Returns the words that must not appear in a response to this caller. */
function hiddenFrom({ role, tenant, isPeer }: Caller): string[] {
  if (role === 'ADMIN') return [own.privateMarker, other.privateMarker];
  const foreign = [own, other].filter((one) => one !== tenant).map(({ marker }) => marker);
  return isPeer ? [...foreign, own.privateMarker, `"clientId":${own.ids['clientId']!},`] : foreign;
}

/**
 * Returns the tenants whose rows this caller may not change. An administrator may change only Clinics that they
 * created.
 */
function strangersTo({ role, tenant }: Caller): TestTenant[] {
  return [own, other].filter((one) => role === 'ADMIN' || one !== tenant);
}

/** The rows of a Clinic that administrators write: their own accesses to its data. */
const OF_ADMINISTRATORS = /^administrator_access /;

type Digest = Record<string, string>;
/** Returns the keys of the tables that differ. `of` restricts them to the rows of some tenants. */
function differences(before: Digest, after: Digest, of?: readonly TestTenant[]): string[] {
  const isMeant = (key: string) => of?.some(({ fixture }) => key.endsWith(` ${fixture.clinicId}`)) ?? true;
  return Object.keys({ ...before, ...after }).filter((key) => isMeant(key) && before[key] !== after[key]);
}
