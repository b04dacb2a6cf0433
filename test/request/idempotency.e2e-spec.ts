import { MikroORM, type EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { SignJWT, type JWTPayload } from 'jose';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { ReminderQueue } from '../../src/reminder/index.js';
import { IdempotencyCleaner, IdempotencyKey } from '../../src/request/index.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { PUBLIC, type Role } from '../../src/shared/access/index.js';
import { forkForActor, type Actor } from '../../src/shared/persistence/index.js';
import { findExample, replaceIds, type OpenApiDocument } from '../support/contract/openapi-document.js';
import { readOpenApiDocument } from '../support/contract/read-openapi.js';
import { createConnectionLostError, interceptStatements } from '../support/database/statement-interceptor.js';
import { roleOf, STATUS_TABLE } from '../support/status-rows.js';
import { digestTables, nextExternalId, TestTenant } from '../support/contract/tenant.js';
import {
  TEST_JWT_SECRET,
  TestApp,
  type TestResponse,
  type RequestOptions,
  type ClinicFixture,
} from '../support/app/test-app.js';

/* Tests that a POST with an `Idempotency-Key` is executed once, and that a retry gets the same response. */

const PLANS = '/gateway/profile/clinic/design-plan';
const SESSIONS = '/gateway/profile/caregiver/session';
const CLIENTS = '/gateway/profile/clinic/client';
const LINKS = '/gateway/profile/caregiver/calendar-link';
const DAY = 86_400_000;
const NDJSON = { 'content-type': 'application/x-ndjson' };

let app: TestApp;
let clinic: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  // Stops jobs that would change rows between two reads.
  for (const job of ['reminder-replanning', 'erasure', 'idempotency-clean-up']) await app.nest.get(Scheduler).stop(job);
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
});

const keyed = (path: string, key: string, { headers, ...more }: RequestOptions) =>
  app.call('POST', path, { ...more, headers: { ...headers, 'idempotency-key': key } });
const createClient = (key: string, more: RequestOptions = {}) =>
  keyed(CLIENTS, key, { token: clinic.clinicToken, body: { name: 'Kim' }, ...more });
const createSession = (key: string, more: RequestOptions = {}) =>
  keyed(SESSIONS, key, { token: clinic.careProviderToken, body: session(), ...more });
const session = () => ({ clientId: clinic.clientIds[0], title: 'T', date: '2027/03/22', time: '09:30' });
const tokenOf = (claims: JWTPayload) =>
  new SignJWT({ exp: Math.floor(Date.now() / 1000) + 3600, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(TEST_JWT_SECRET));

/** Headers that may differ between a response and its replay. */
const OF_THE_MOMENT = ['date', 'ratelimit', 'idempotent-replayed'];
/** Returns the status, all other headers and the body of a response. */
const sent = ({ status, headers, text }: TestResponse) => {
  const own = [...headers].filter(([name]) => !OF_THE_MOMENT.includes(name));
  return { status, headers: Object.fromEntries(own), text };
};
const isReplay = ({ headers }: TestResponse) => headers.get('idempotent-replayed') === 'true';
const expectReplay = (again: TestResponse, first: TestResponse) => {
  expect([first.status < 300, isReplay(first), isReplay(again)]).toEqual([true, false, true]);
  expect(sent(again)).toEqual(sent(first));
};
const expectNew = (answer: TestResponse, other: TestResponse) => {
  expect([answer.status, isReplay(answer)]).toEqual([other.status, false]);
  expect(answer.headers.get('location') ?? answer.text).not.toBe(other.headers.get('location') ?? other.text);
};
const expectReused = (answer: TestResponse) => {
  expect([answer.status, answer.body.type, answer.body.errors]).toEqual([
    422,
    'urn:problem:idempotency-key-reused',
    [{ pointer: '/idempotency-key', detail: 'was sent with another request before' }],
  ]);
};
const countKeys = (): Promise<number> => app.asSuperuser((em) => em.count(IdempotencyKey));

describe('every POST of a caller', () => {
  let document: OpenApiDocument;
  let tenant: TestTenant;
  beforeAll(async () => {
    document = await readOpenApiDocument(app);
    tenant = await TestTenant.create(app);
  });

  const tokenFor = (role: Role): Promise<string> => {
    const { clinicId, careProviderIds, clientIds } = tenant.fixture;
    const ids = { CLINIC: clinicId, CARE_PROVIDER: careProviderIds[0], CLIENT: clientIds[0], ADMIN: undefined };
    return app.createToken(role, ids[role]);
  };

  const rows = Object.entries(STATUS_TABLE).flatMap(([title, row]) => {
    const [method, path] = title.split(' ') as [string, string];
    const role = roleOf(path);
    return method === 'POST' && role !== PUBLIC ? [{ title, path, role, row }] : [];
  });

  it.each(rows)(
    '$title: is executed once, and a retry gets the same response, byte for byte',
    async ({ path, role, row }) => {
      const made = (await row.on?.(tenant)) ?? { path: {} };
      const { example, type } = findExample(document.paths[path]!['post']!);
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(made.path[name]));
      const call = {
        token: await tokenFor(role),
        body: example && replaceIds(example, { ...tenant.ids, ...made.body, externalId: nextExternalId() }),
        ...(type === undefined ? {} : { headers: { 'content-type': type } }),
      };
      const key = randomUUID();
      const first = await keyed(url, key, call);
      expect(first.status).toBe(row.own);
      const after = await digestTables(app);
      expectReplay(await keyed(url, key, call), first);
      expect(await digestTables(app)).toEqual(after);
    },
  );

  it('includes more than thirty operations', () => expect(rows.length).toBeGreaterThan(30));
});

describe('the first response', () => {
  it('is the same as without a key', async () => {
    const calls: [string, RequestOptions][] = [
      [CLIENTS, { token: clinic.clinicToken, body: { name: 'Kim' } }],
      [SESSIONS, { token: clinic.careProviderToken, body: session() }],
      [LINKS, { token: clinic.careProviderToken, body: { titles: 'FULL' } }],
      [`${CLIENTS}/import`, { token: clinic.clinicToken, raw: '{"externalId":"a","name":"Å"}\n', headers: NDJSON }],
    ];
    const shape = (answer: TestResponse) =>
      Object.entries({ ...sent(answer).headers, status: answer.status }).map(([name, value]) =>
        ['location', 'content-length'].includes(name) ? name : [name, value],
      );
    for (const [path, call] of calls) {
      expect(shape(await keyed(path, randomUUID(), call))).toEqual(shape(await app.call('POST', path, call)));
    }
  });

  it('is also stored for a dry run, whose key cannot be used for the real request', async () => {
    const plan = await app.call('POST', PLANS, { token: clinic.clinicToken, body: { planName: 'P', weeks: [{}] } });
    const path = `/gateway/profile/caregiver/design-plan/${plan.headers.get('location')!.split('/').at(-1)!}/apply`;
    const { title: _, ...body } = session();
    const call = { token: clinic.careProviderToken, body };
    const key = randomUUID();
    const dry = await keyed(`${path}?dryRun=true`, key, call);
    expect(dry.status).toBe(200);
    expectReplay(await keyed(`${path}?dryRun=true`, key, call), dry);
    expectReused(await keyed(path, key, call));
    expect((await keyed(path, randomUUID(), call)).status).toBe(201);
  });

  it('is stored for 24 hours', async () => {
    const key = randomUUID();
    const first = await createClient(key);
    app.clock.advance({ milliseconds: DAY - 1 });
    expectReplay(await createClient(key), first);
    app.clock.advance({ milliseconds: 1 });
    const second = await createClient(key, { body: { name: 'Another name' } });
    expectNew(second, first);
    expectReplay(await createClient(key, { body: { name: 'Another name' } }), second);
  });
});

describe('a key that was used for another request', () => {
  const lines = (raw: string) => ({ token: clinic.clinicToken, raw, headers: NDJSON });

  it('is refused with another body, path, query or zone', async () => {
    const key = randomUUID();
    expect((await createSession(key)).status).toBe(201);
    expectReused(await createSession(key, { body: { ...session(), title: 'U' } }));
    expectReused(await createSession(key, { headers: { offset: '60' } }));
    expectReused(
      await keyed(`${SESSIONS}?conflicts=reject`, key, { token: clinic.careProviderToken, body: session() }),
    );
    expectReused(await keyed(LINKS, key, { token: clinic.careProviderToken, body: {} }));
  });

  it('is refused with another If-Match', async () => {
    const key = randomUUID();
    await createSession(randomUUID());
    const list = await app.call('GET', `${SESSIONS}?limit=1`, { token: clinic.careProviderToken });
    const [{ id, version }] = list.body.items;
    const cancel = (tag: string) =>
      keyed(`${SESSIONS}/${id}/cancel`, key, {
        ...{ token: clinic.careProviderToken, body: { reason: 'ILLNESS' }, headers: { 'if-match': tag } },
      });
    expect((await cancel(`"${version}"`)).status).toBe(200);
    expectReused(await cancel('"99"'));
  });

  it('is refused with other import lines', async () => {
    const key = randomUUID();
    const path = `${CLIENTS}/import`;
    const first = await keyed(path, key, lines('{"externalId":"a","name":"A"}\n'));
    expectReplay(await keyed(path, key, lines('{"externalId":"a","name":"A"}\n')), first);
    expectReused(await keyed(path, key, lines('{"externalId":"a","name":"B"}\n')));
  });

  it('is not refused if only the white space between the values differs', async () => {
    const key = randomUUID();
    const first = await createClient(key, { body: undefined, raw: '{"name":"Kim"}' });
    expectReplay(await createClient(key, { body: undefined, raw: '{ "name" :\n"Kim" }' }), first);
  });
});

describe('a key of another caller', () => {
  it('reveals nothing to another Care Provider of the Clinic or to another Clinic', async () => {
    const key = randomUUID();
    const first = await createSession(key);
    const colleague = await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1]);
    expectNew(
      await createSession(key, { token: colleague, body: { ...session(), clientId: clinic.clientIds[2] } }),
      first,
    );
    const client = await createClient(key);
    clinic = await app.createClinic();
    expectNew(await createSession(key), first);
    expectNew(await createClient(key), client);
  });

  it('reveals nothing to another subject with the same role and record', async () => {
    const [key, { clinicId }] = [randomUUID(), clinic];
    const [one, two] = await Promise.all(['one', 'two'].map((sub) => tokenOf({ sub, role: 'CLINIC', clinicId })));
    const first = await createClient(key, { token: one! });
    expectNew(await createClient(key, { token: two! }), first);
    // With a new token, the same person gets the stored response.
    const renewed = await tokenOf({ sub: 'one', role: 'ROLE_CLINIC', clinicId, jti: randomUUID() });
    expectReplay(await createClient(key, { token: renewed }), first);
  });

  it('reveals nothing to another role with the same subject and id', async () => {
    const key = randomUUID();
    const id = clinic.careProviderIds.find((one) => clinic.clientIds.includes(one)) ?? (await sharedId());
    const [careProvider, client] = await Promise.all([
      tokenOf({ sub: 'person', role: 'CARE_PROVIDER', caregiverId: id }),
      tokenOf({ sub: 'person', role: 'CLIENT', clientId: id }),
    ]);
    const first = await keyed(LINKS, key, { token: careProvider, body: {} });
    expectNew(await keyed('/gateway/profile/client/calendar-link', key, { token: client, body: {} }), first);
  });

  it('reveals nothing to another administrator', async () => {
    const key = randomUUID();
    const create = async (sub: string) =>
      keyed('/gateway/admin/book', key, { token: await tokenOf({ sub, role: 'ADMIN' }), body: { title: 'Sleep' } });
    const first = await create('one');
    expectNew(await create('two'), first);
    expectReplay(await create('one'), first);
  });

  it('is invisible to any other caller in the database, and cannot be deleted by a caller', async () => {
    const one: Actor = { role: 'CLINIC', subject: 'one', clinicId: clinic.clinicId };
    const others: Actor[] = [
      { ...one, subject: 'two' },
      { role: 'CARE_PROVIDER', subject: 'one', caregiverId: clinic.careProviderIds[0] },
      { role: 'ADMIN', subject: 'three' },
    ];
    await createClient(randomUUID(), { token: await tokenOf({ sub: 'one', ...one }) });
    const as = <T>(actor: Actor, work: (em: EntityManager) => Promise<T>) =>
      forkForActor(app.nest.get(MikroORM).em, actor).transactional(work);
    const count = (em: EntityManager) => em.count(IdempotencyKey);
    expect(await as(one, count)).toBe(1);
    for (const actor of others) expect([actor, await as(actor, count)]).toEqual([actor, 0]);
    const denied = { code: '42501' };
    await expect(as({ role: 'REMINDERS' }, count)).rejects.toMatchObject(denied);
    const read = (em: EntityManager) => sql`select answer from idempotency_key`.execute(kyselyOf(em));
    await expect(as({ role: 'MAINTENANCE' }, read)).rejects.toMatchObject(denied);
    for (const actor of [one, others[2]!]) {
      await expect(as(actor, (em) => em.nativeDelete(IdempotencyKey, {}))).rejects.toMatchObject(denied);
    }
  });
});

const kyselyOf = (em: EntityManager) => (em as SqlEntityManager).getKysely();

/**
 * Creates Clients until a Client and a Care Provider of the same Clinic have the same ID. The IDs of Clients grow
 * faster, so this happens soon.
 */
async function sharedId(): Promise<number> {
  const rows = await app.queryRows(
    // Other tests deactivate and erase records, and revoke the tokens of some.
    sql<{ id: string }>`select id from care_provider
      where active and id in (select id from client where active)
        and id not in (select record_id from revoked_token_holder where record_id is not null) order by id desc`,
  );
  return Number(rows[0]!.id);
}

describe('a request that fails', () => {
  it('is not stored: the same request is executed once the cause of the failure is gone', async () => {
    const before = await countKeys();
    const [key, token] = [randomUUID(), clinic.clinicToken];
    const body = { name: 'Kim', externalId: 'k-1' };
    const taken = await app.call('POST', CLIENTS, { token, body });
    expect((await createClient(key, { body })).status).toBe(409);
    expect((await createClient(key, { body: { name: 5 } })).status).toBe(400);
    expect(await countKeys()).toBe(before);
    const takenId = Number(taken.headers.get('location')!.split('/').at(-1));
    await app.asSuperuser((em) => sql`delete from client where id = ${takenId}`.execute(kyselyOf(em)));
    expectNew(await createClient(key, { body }), taken);
    expect(await countKeys()).toBe(before + 1);
  });

  it('is rolled back if its response cannot be stored', async () => {
    const key = randomUUID();
    const before = await digestTables(app);
    const untap = await interceptStatements(app, {
      after: (statement) => {
        if (/^insert into "?idempotency_key/i.test(statement)) throw createConnectionLostError();
      },
    });
    const failed = await createClient(key).finally(untap);
    expect([failed.status, await digestTables(app)]).toEqual([503, before]);
    // The answer must not name a record that was rolled back.
    for (const name of ['location', 'etag', 'idempotent-replayed']) expect(failed.headers.get(name)).toBeNull();
    const first = await createClient(key);
    expectReplay(await createClient(key), first);
  });

  it('is not repeated while its audit entry cannot be written', async () => {
    const key = randomUUID();
    const first = await createClient(key);
    const untap = await interceptStatements(app, {
      before: (statement) => {
        if (statement.includes('insert into audit_entry')) throw createConnectionLostError();
      },
    });
    const failed = await createClient(key).finally(untap);
    expect(failed.status).toBe(503);
    for (const name of ['location', 'etag', 'idempotent-replayed']) expect(failed.headers.get(name)).toBeNull();
    expectReplay(await createClient(key), first);
  });
});

describe('the header', () => {
  const problem = { status: 400, errors: [expect.objectContaining({ pointer: '/idempotency-key' })] };

  it.each(['a', ' ~!"#', 'x'.repeat(255)])('may be %j', async (key) => {
    expect((await createClient(key)).status).toBe(201);
  });

  it.each(['', 'x'.repeat(256), 'a\tb', 'Schlüssel'])('may not be %j', async (key) => {
    expect((await createClient(key)).body).toMatchObject(problem);
  });

  it('must not be repeated', async () => {
    const headers = { authorization: `bearer ${clinic.clinicToken}`, 'content-type': 'application/json' };
    const status = await new Promise((resolve) => {
      const options = { method: 'POST', headers: { ...headers, 'idempotency-key': ['a', 'b'] } };
      const call = request(new URL(CLIENTS, app.url), options, (answer) => resolve(answer.resume().statusCode));
      call.end('{"name":"Kim"}');
    });
    expect(status).toBe(400);
  });

  it('has no effect on other methods and on operations without a token', async () => {
    const headers = { 'idempotency-key': '' };
    const token = clinic.clinicToken;
    expect((await app.call('GET', CLIENTS, { token, headers })).status).toBe(200);
    const path = `${CLIENTS}/external/e-1`;
    for (const status of [201, 204]) {
      expect((await app.call('PUT', path, { token, headers, body: { name: 'Kim' } })).status).toBe(status);
    }
    expect((await app.call('POST', '/reminder/opt-out/session/none', { headers })).status).toBe(404);
  });

  it('is read after the token has been verified', async () => {
    expect((await keyed(CLIENTS, '', { body: {} })).status).toBe(401);
  });

  it('can be sent by pages of other origins, which can read the response header', async () => {
    const origin = 'https://app.example.org';
    const asked = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'idempotency-key',
    };
    const preflight = await app.call('OPTIONS', CLIENTS, { headers: asked });
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/\bidempotency-key\b/);
    const [key, elsewhere] = [randomUUID(), { headers: { origin } }];
    await createClient(key);
    const { headers } = await createClient(key, elsewhere);
    // Headers that depend on the origin are added to a replay as well.
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-expose-headers')).toMatch(/\bidempotent-replayed\b/);
  });
});

it('stores the key and the response only in encrypted form, and keeps both out of logs and metrics', async () => {
  const lines: unknown[] = [];
  const keep = (...line: unknown[]) => lines.push(line);
  Logger.overrideLogger({ log: keep, error: keep, warn: keep, debug: keep, verbose: keep, fatal: keep });
  const [key, call] = [`canary-${randomUUID()}`, { token: clinic.careProviderToken, body: {} }];
  const first = await keyed(LINKS, key, call);
  expectReplay(await keyed(LINKS, key, call), first);
  expectReused(await keyed(LINKS, key, { ...call, body: { titles: 'FULL' } }));
  Logger.overrideLogger(false);
  const secret = /\/calendar\/(.+)\.ics/.exec(first.text)![1]!;
  const rows = await app.queryRows(
    sql<{ text: string }>`select t::text || encode(answer, 'escape') as text from idempotency_key t`,
  );
  const metrics = (await app.call('GET', '/metrics')).text;
  expect(rows.length).toBeGreaterThan(0);
  for (const text of [JSON.stringify(lines), metrics, JSON.stringify(rows)]) {
    expect(text).not.toContain(key);
    expect(text).not.toContain(secret);
  }
});

it('needs three statements for the first response, no more for a replay, and none without a key', async () => {
  // Stops the queue, because its polling statements would be counted.
  await app.nest.get(ReminderQueue).stop();
  const statements = async (call: () => Promise<TestResponse>): Promise<number> => {
    let count = 0;
    const untap = await interceptStatements(app, { before: () => void (count += 1) });
    await call().finally(untap);
    return count;
  };
  const token = clinic.clinicToken;
  const key = randomUUID();
  const plain = await statements(() => app.call('POST', CLIENTS, { token, body: { name: 'Kim' } }));
  const first = await statements(() => createClient(key));
  const replay = await statements(() => createClient(key));
  expect(first - plain).toBe(3);
  expect(replay).toBeLessThan(first);
  const read = await statements(() => app.call('GET', CLIENTS, { token }));
  expect(await statements(() => app.call('GET', CLIENTS, { token, headers: { 'idempotency-key': key } }))).toBe(read);
});

it('writes an audit entry for each response', async () => {
  const key = randomUUID();
  const entries = () =>
    app.queryRows(sql<{ records: string[] }>`
      select records from audit_entry where clinic_id = ${clinic.clinicId} and access = 'WRITE' and outcome = 'OK'
      order by id desc`);
  const before = (await entries()).length;
  for (let turn = 0; turn < 2; turn += 1) await createClient(key);
  const left = (await entries()).slice(0, -before || undefined);
  expect(left).toHaveLength(2);
  expect(left[0]).toEqual(left[1]);
  expect(left[0]!.records).toEqual([expect.stringMatching(/^client\/\d+$/)]);
});

describe('the clean-up', () => {
  const insert = (expiresAt: string, count: number) =>
    app.queryRows(sql`
      insert into idempotency_key (id, caller, fingerprint, answer, expires_at)
      select gen_random_uuid()::text, 'person', '', '', ${expiresAt}::timestamptz from generate_series(1, ${count}::int)`);
  const expired = async () =>
    Number(
      (await app.queryRows(sql<{ count: string }>`select count(*) from idempotency_key where caller = 'person'`))[0]!
        .count,
    );

  it('deletes only expired keys, in several batches if necessary', async () => {
    // Deletes the keys of other tests that have expired by the clock of the database in the meantime.
    await app.nest.get(IdempotencyCleaner).deleteExpired();
    await insert('2020-01-01T00:00:00Z', 2_500);
    await insert('9999-01-01T00:00:00Z', 3);
    expect(await app.nest.get(IdempotencyCleaner).deleteExpired()).toBe(2_500);
    expect([await expired(), await app.nest.get(IdempotencyCleaner).deleteExpired()]).toEqual([3, 0]);
  });

  it('cannot delete keys that have not expired by the clock of the database', async () => {
    await insert('9999-01-01T00:00:00Z', 1);
    const before = await countKeys();
    const deleted = await forkForActor(app.nest.get(MikroORM).em, { role: 'MAINTENANCE' }).transactional((em) =>
      sql`delete from idempotency_key where expires_at > now()`.execute(kyselyOf(em)),
    );
    expect([Number(deleted.numAffectedRows), await countKeys()]).toEqual([0, before]);
  });

  it('is scheduled, and continues after a database failure', async () => {
    const scheduler = app.nest.get(Scheduler);
    const cleanUp = () => scheduler.listJobStatuses().find(({ name }) => name === 'idempotency-clean-up')!;
    // Otherwise, the timer of the job could add a run.
    await scheduler.stop('idempotency-clean-up');
    const { successes } = cleanUp();
    expect(cleanUp()).toMatchObject({ failures: 0 });
    const untap = await interceptStatements(app, {
      before: () => {
        throw createConnectionLostError();
      },
    });
    await scheduler.run('idempotency-clean-up').finally(untap);
    expect(cleanUp()).toMatchObject({ failures: 1, successes });
    await scheduler.run('idempotency-clean-up');
    expect(cleanUp()).toMatchObject({ failures: 1, successes: successes + 1 });
    scheduler.start('idempotency-clean-up');
  });
});
