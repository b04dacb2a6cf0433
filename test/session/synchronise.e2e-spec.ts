import { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import fc from 'fast-check';
import { sql } from 'kysely';
import { Scheduler } from '../../src/scheduler/index.js';
import { MAX_TRANSACTION_MS } from '../../src/shared/persistence/entity-manager/request-transaction.js';
import { forkForActor } from '../../src/shared/persistence/index.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { createPlan } from '../support/app/series-fixtures.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';
import { SynchronisedCopy, type SyncItem, type SyncPage } from '../support/session/replica.js';

/* Tests synchronisation: a copy that applies the changes and tombstones of a list must equal the list. */

const RUNS = repetitionCount('SYNC_RUNS', 2, 40);
const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';
const CLIENT = '/gateway/profile/client';

let app: TestApp;
let clinic: ClinicFixture;
/** Tokens of both Care Providers of the Clinic. */
let careProviders: [string, string];
let clientToken: string;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(() => startClinic());

async function startClinic(): Promise<void> {
  clinic = await app.createClinic();
  careProviders = [clinic.careProviderToken, await app.createToken('CARE_PROVIDER', clinic.careProviderIds[1])];
  clientToken = await app.createToken('CLIENT', clinic.clientIds[0]);
}

async function get(path: string, token: string): Promise<SyncPage> {
  const answer = await app.call('GET', path, { token });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body as SyncPage;
}

/** Books Sessions as one of the Care Providers. Returns their ids. */
async function book(change: object = {}, by = 0): Promise<number[]> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  const answer = await app.call('POST', `${CAREGIVER}/session`, { token: careProviders[by]!, body });
  if (answer.status !== 201) return [];
  const list = await get(answer.headers.get('location')!, clinic.careProviderToken);
  return list.items.map(({ id }) => Number(id));
}

const follow = (path: string, token: string, filters?: string) => new SynchronisedCopy(app, path, token, filters);

it('returns changes, and tombstones of Sessions that the caller no longer sees', async () => {
  const [id] = await book();
  const [ofColleague] = await book({ caregiverId: clinic.careProviderIds[1] });
  const replicas = [
    follow(`${CAREGIVER}/session`, clinic.careProviderToken),
    follow(`${CLINIC}/session`, clinic.clinicToken, 'status=SCHEDULED,PAUSED'),
    follow(`${CLIENT}/session`, clientToken),
  ];
  const [own, open] = replicas as [SynchronisedCopy, SynchronisedCopy];
  for (const replica of replicas) await replica.synchronise({ limit: 1 });
  expect(own.items.map((item) => item.id)).toEqual([id, ofColleague]);

  app.clock.advance({ minutes: 10 });
  const assignment = `${CLINIC}/client/${clinic.clientIds[0]}/care-provider/${clinic.careProviderIds[0]}`;
  await app.call('DELETE', assignment, { token: clinic.clinicToken });
  const body = { reason: 'CLIENT_REQUEST' };
  await app.call('POST', `${CLINIC}/session/${id}/cancel`, { token: clinic.clinicToken, body });
  for (const replica of replicas) {
    await replica.synchronise({ limit: 1 });
    await replica.expectEqualsList();
  }
  expect(own.items).toEqual([expect.objectContaining({ id, status: 'CANCELLED', version: 2 })]);
  expect(open.items.map((item) => item.id)).toEqual([ofColleague]);

  app.clock.advance({ minutes: 10 });
  await app.call('PUT', assignment, { token: clinic.clinicToken });
  await own.synchronise();
  expect(own.items.map((item) => item.id)).toEqual([id, ofColleague]);
});

it('returns changed Design Plans, and tombstones of archived ones', async () => {
  const path = `${CLINIC}/design-plan`;
  const { clinicToken: token } = clinic;
  const create = (planName: string) => app.call('POST', path, { token, body: { planName } });
  const [first] = [await create('A'), await create('B')];
  const replica = follow(path, token);
  await replica.synchronise({ limit: 1 });
  app.clock.advance({ minutes: 10 });
  await app.call('DELETE', `/gateway/profile/clinic${first.headers.get('location')!}`, { token });
  await create('C');
  await replica.synchronise({ limit: 1 });
  await replica.expectEqualsList();
  expect(replica.items).toMatchObject([{ planName: 'B' }, { planName: 'C', version: 1 }]);
});

/** Applies a plan of two weeks with two Books each. */
async function applyPlan(): Promise<{ plan: number; seriesId: string }> {
  const plan = await createPlan(app, clinic, { weeks: toWeeks(3) });
  const body = { clientId: clinic.clientIds[0], date: '2027/03/01', time: '09:30' };
  const path = `${CAREGIVER}/design-plan/${plan}/apply`;
  const { seriesId } = (await app.call('POST', path, { token: clinic.careProviderToken, body })).body;
  return { plan, seriesId };
}

/** Returns one to three weeks. All except the last have both Books. */
function toWeeks(count: number) {
  const books = [clinic.ownBookId, clinic.sharedBookId];
  return Array.from({ length: count }, (_, index) => ({
    ordering: index + 1,
    assignments: books.slice(0, index === count - 1 ? 1 : 2).map((bookId) => ({ bookId })),
  }));
}

async function revise({ plan, seriesId }: { plan: number; seriesId: string }, count: number): Promise<void> {
  const { clinicToken: token } = clinic;
  const path = `${CLINIC}/design-plan/${plan}`;
  const headers = { 'if-match': (await app.call('GET', path, { token })).headers.get('etag')! };
  await app.call('PUT', path, { token, headers, body: { planName: 'Sleep', weeks: toWeeks(count) } });
  await app.call('POST', `${CLINIC}/series/${seriesId}/revise`, { token, body: {} });
}

it('returns changed series, and tombstones of those that the caller no longer sees', async () => {
  const { clinicToken: token, careProviderIds, clientIds } = clinic;
  const { seriesId } = await applyPlan();
  await book({ clientId: clientIds[1], sessionCount: 2 });
  const own = follow(`${CAREGIVER}/series`, careProviders[0]);
  const unpaused = follow(`${CLINIC}/series`, token, 'paused=false');
  for (const replica of [own, unpaused]) await replica.synchronise({ limit: 1 });
  expect(own.items).toMatchObject([{ id: seriesId, sessionCount: 3, version: 4 }, { sessionCount: 2 }]);

  app.clock.advance({ minutes: 10 });
  await app.call('POST', `${CLINIC}/series/${seriesId}/pause`, { token });
  const assignment = `${CLINIC}/client/${clientIds[1]}/care-provider/${careProviderIds[1]}`;
  await app.call('PUT', assignment, { token });
  const body = { toCareProviderId: careProviderIds[1], clientIds: [clientIds[1]] };
  const moved = await app.call('POST', `${CLINIC}/care-provider/${careProviderIds[0]}/reassign`, { token, body });
  expect(moved.status).toBe(200);
  for (const replica of [own, unpaused]) {
    await replica.synchronise({ limit: 1 });
    await replica.expectEqualsList();
  }
  // The versions of three Sessions and of the series itself have increased by one.
  expect(own.items).toMatchObject([{ id: seriesId, pausedAt: expect.any(String), version: 8 }]);
  expect(unpaused.items).toMatchObject([{ caregiverId: careProviderIds[1], version: 6 }]);
});

it('returns changed homework, and tombstones of what a revision has removed', async () => {
  const { clinicToken: token, ownBookId } = clinic;
  const applied = await applyPlan();
  const replicas = [
    follow(`${CLIENT}/homework`, clientToken),
    follow(`${CLINIC}/homework`, token, `completed=false&bookId=${ownBookId}`),
  ];
  const [mine, open] = replicas as [SynchronisedCopy, SynchronisedCopy];
  for (const replica of replicas) await replica.synchronise({ limit: 2 });
  expect(mine.items).toHaveLength(5);
  const dueDates = (replica: SynchronisedCopy) =>
    replica.items.map((item) => (item as SyncItem & { dueDate: string }).dueDate);
  expect(dueDates(open)).toEqual(['2027/03/08', '2027/03/15', '2027/03/22']);

  app.clock.advance({ minutes: 10 });
  await app.call('POST', `${CLIENT}/homework/${mine.items[0]!.id}/complete`, { token: clientToken });
  // The last Session moves to the next day, so the homework before it is due a day later.
  const sessions = await get(`${CLINIC}/session?seriesId=${applied.seriesId}&sort=-startsAt`, token);
  const { id } = sessions.items[0]!;
  await app.call('PATCH', `${CLINIC}/session/${id}`, {
    ...{ token, body: { date: '2027/03/16' }, headers: { 'if-match': '"1"' } },
  });
  for (const replica of replicas) {
    await replica.synchronise({ limit: 2 });
    await replica.expectEqualsList();
  }
  expect(dueDates(open)).toEqual(['2027/03/16', '2027/03/23']);

  app.clock.advance({ minutes: 10 });
  await revise(applied, 2);
  for (const replica of replicas) {
    await replica.synchronise({ limit: 1 });
    await replica.expectEqualsList();
  }
  expect(mine.items).toHaveLength(3);
});

it('a pass reads the homework of many series that changed at the same time, some without homework', async () => {
  const replica = follow(`${CLINIC}/homework`, clinic.clinicToken);
  await replica.synchronise();
  for (let count = 0; count < 7; count += 1)
    await book({ sessionCount: 3, ...(count % 2 === 0 && { bookIdList: [clinic.ownBookId] }) });
  for (const limit of [1, 2, 5, 200]) {
    await replica.synchronise({ limit });
    await replica.expectEqualsList();
  }
  expect(replica.items).toHaveLength(12);
});

it('returns a change that was made before the token was given, and committed afterwards', async () => {
  const [id] = await book();
  const lists = [`${CLINIC}/session`, `${CLINIC}/series`];
  const read = (path: string, query: string) => get(`${path}?${query}`, clinic.clinicToken);
  app.clock.advance({ hours: 1 });
  const tokens = [];
  for (const path of lists) tokens.push((await read(path, 'sync=true')).syncToken);
  // The time of the change is set before its transaction is committed.
  app.clock.advance({ milliseconds: -MAX_TRANSACTION_MS });
  const cancellation = { token: clinic.clinicToken, body: { reason: 'CLIENT_REQUEST' } };
  expect((await app.call('POST', `${CLINIC}/session/${id}/cancel`, cancellation)).status).toBe(200);
  app.clock.advance({ milliseconds: MAX_TRANSACTION_MS });
  for (const [index, path] of lists.entries())
    expect([path, (await read(path, `syncToken=${tokens[index]!}`)).items.length]).toEqual([path, 1]);
  app.clock.advance({ hours: -1 });
});

it('refuses tokens of other callers or filters, and old tokens', async () => {
  const { syncToken } = await get(`${CLINIC}/session?sync=true&status=PAUSED,SCHEDULED`, clinic.clinicToken);
  const other = await app.createClinic();
  const call = async (query: string, token = clinic.clinicToken, path = `${CLINIC}/session`) => {
    const { status, body } = await app.call('GET', `${path}?${query}`, { token });
    return [status, body.type?.split(':').at(-1), body.errors?.[0].pointer];
  };
  expect(await call(`syncToken=${syncToken}&status=SCHEDULED,PAUSED`)).toEqual([200, undefined, undefined]);
  expect(await call(`syncToken=${syncToken}`)).toEqual([400, 'invalid-request', '/syncToken']);
  expect(await call('syncToken=WzFd')).toEqual([400, 'invalid-request', '/syncToken']);
  expect(await call(`syncToken=${syncToken}&sync=true`)).toEqual([400, 'invalid-request', '/syncToken']);
  expect(await call('sync=true&sort=-startsAt')).toEqual([400, 'invalid-request', '/sort']);
  expect(await call('sync=true&count=exact')).toEqual([400, 'invalid-request', '/count']);
  expect(await call('sync=true&cursor=WzFd')).toEqual([400, 'invalid-request', '/cursor']);
  const position = (id: unknown) =>
    Buffer.from(JSON.stringify(['2027-01-01T00:00:00.000Z', id, '2027-01-01T00:00:00.000Z'])).toString('base64url');
  for (const [list, id] of [
    ['session', 'x'],
    ['series', 7],
    ['homework', '7:7'],
    ['homework', `${crypto.randomUUID()}:99999999999999999`],
  ] as const)
    expect([list, await call(`sync=true&cursor=${position(id)}`, clinic.clinicToken, `${CLINIC}/${list}`)]).toEqual([
      ...[list, [400, 'invalid-request', '/cursor']],
    ]);
  const gone = [410, 'sync-token-expired', undefined];
  expect(await call(`syncToken=${syncToken}&status=SCHEDULED,PAUSED`, other.clinicToken)).toEqual(gone);
  expect(await call(`syncToken=${syncToken}`, clinic.clinicToken, `${CLINIC}/design-plan`)).toEqual(gone);
  app.clock.advance({ hours: 31 * 24 });
  expect(await call(`syncToken=${syncToken}&status=SCHEDULED,PAUSED`)).toEqual(gone);
  app.clock.advance({ hours: -31 * 24 });
});

it('keeps tombstones as long as a token can need them', async () => {
  const [id] = await book({ caregiverId: clinic.careProviderIds[1] });
  const assignment = `${CLINIC}/client/${clinic.clientIds[0]}/care-provider/${clinic.careProviderIds[0]}`;
  const { seriesId } = await applyPlan();
  await app.call('DELETE', assignment, { token: clinic.clinicToken });
  await app.queryRows(sql`
    insert into removed_homework (homework_id, clinic_id, client_id, series_id, version, removed_at)
    select -n, ${clinic.clinicId}, ${clinic.clientIds[0]}, ${seriesId}::uuid, 1,
      now() - interval '30 days' - case when n > 3 then interval '14 days' else interval '-14 days' end
    from generate_series(1, 2503) n`);
  const count = async () => {
    const of = sql`clinic_id = ${clinic.clinicId}`;
    const [row] = await app.queryRows(sql<{ hidden: number; removed: number }>`
      select (select count(*)::int from hidden_session where ${of}) as hidden,
        (select count(*)::int from removed_homework where ${of}) as removed`);
    return [row!.hidden, row!.removed];
  };
  expect(await count()).toEqual([1, 2503]);
  // The clock of the tests is behind that of the database, which has set the times of the tombstones.
  await app.nest.get(Scheduler).run('tombstones-clean-up');
  expect(await count()).toEqual([1, 3]);
  await app.queryRows(sql`update hidden_session set hidden_at = now() - interval '44 days' where session_id = ${id}`);
  await app.nest.get(Scheduler).run('tombstones-clean-up');
  expect(await count()).toEqual([0, 3]);
  // Whatever time an instance assumes, the database refuses to delete tombstones that a valid token may need.
  await forkForActor(app.nest.get(MikroORM).em, { role: 'MAINTENANCE' }).transactional(async (em) => {
    await sql`delete from removed_homework where removed_at < now()`.execute((em as SqlEntityManager).getKysely());
  });
  expect(await count()).toEqual([0, 3]);
});

const commands = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...(['book', 'book', 'cancel', 'undo', 'shift', 'pause', 'revise', 'homework'] as const),
      ...(['assign', 'unassign', 'reassign'] as const),
    ),
    pick: fc.nat(99),
    who: fc.constantFrom(0 as const, 1 as const),
    client: fc.constantFrom(0 as const, 1 as const, 2 as const),
  }),
  { minLength: 8, maxLength: 14 },
);
type Command = typeof commands extends fc.Arbitrary<(infer One)[]> ? One : never;

async function execute(
  { kind, pick, who, client }: Command,
  ids: number[],
  applied: { plan: number; seriesId: string },
): Promise<void> {
  const { careProviderIds, clientIds, clinicToken: token } = clinic;
  const id = ids[pick % Math.max(ids.length, 1)] ?? 1;
  const assignment = `${CLINIC}/client/${clientIds[client]}/care-provider/${careProviderIds[who]}`;
  const post = (path: string, body?: object, caller = token) => app.call('POST', path, { token: caller, body });
  switch (kind) {
    case 'book': {
      const rest = { sessionCount: 1 + (pick % 3), bookIdList: [clinic.ownBookId], clientId: clientIds[client] };
      ids.push(...(await book({ ...rest, caregiverId: careProviderIds[pick % 2] }, who)));
      return;
    }
    case 'cancel':
      await post(`${CLINIC}/session/${id}/cancel`, { reason: 'CLIENT_REQUEST' });
      return;
    case 'undo':
      await post(`${CLINIC}/session/${id}/undo`);
      return;
    case 'shift': {
      const { body } = await app.call('GET', `${CLINIC}/session/${id}`, { token });
      await post(`${CLINIC}/series/${body.seriesId as string}/shift`, { days: 1 });
      return;
    }
    case 'pause': {
      const { body } = await app.call('GET', `${CLINIC}/session/${id}`, { token });
      await post(`${CLINIC}/series/${body.seriesId as string}/${who ? 'resume' : 'pause'}`);
      return;
    }
    case 'revise':
      return revise(applied, 1 + (pick % 3));
    case 'homework': {
      const { body } = await app.call('GET', `${CLIENT}/homework?limit=200`, { token: clientToken });
      const homework = body.items[pick % Math.max(body.items.length as number, 1)] as SyncItem | undefined;
      await post(`${CLIENT}/homework/${homework?.id ?? 1}/${who ? 'undo' : 'complete'}`, undefined, clientToken);
      return;
    }
    case 'reassign':
      await post(`${CLINIC}/care-provider/${careProviderIds[who]}/reassign`, {
        toCareProviderId: careProviderIds[1 - who],
      });
      return;
    default:
      await app.call(kind === 'assign' ? 'PUT' : 'DELETE', assignment, { token });
  }
}

it('a replica that applies the pages of a pass in any order equals the list, while others write', async () => {
  await fc.assert(
    fc.asyncProperty(commands, fc.integer({ min: 1, max: 3 }), fc.boolean(), async (writes, limit, shuffle) => {
      await startClinic();
      const ids = await book({ sessionCount: 3, bookIdList: [clinic.ownBookId] });
      const applied = await applyPlan();
      const replicas = [
        follow(`${CLINIC}/session`, clinic.clinicToken),
        follow(`${CLINIC}/session`, clinic.clinicToken, `status=SCHEDULED&caregiverId=${clinic.careProviderIds[1]}`),
        follow(`${CAREGIVER}/session`, careProviders[0]),
        follow(`${CAREGIVER}/session`, careProviders[1], `clientId=${clinic.clientIds.slice(0, 2).join()}`),
        follow(`${CLIENT}/session`, clientToken),
        follow(`${CLINIC}/series`, clinic.clinicToken, `paused=false&caregiverId=${clinic.careProviderIds[0]}`),
        follow(`${CAREGIVER}/series`, careProviders[0]),
        follow(`${CAREGIVER}/series`, careProviders[1], `clientId=${clinic.clientIds.slice(0, 2).join()}`),
        follow(`${CLIENT}/homework`, clientToken),
        follow(`${CLINIC}/homework`, clinic.clinicToken, `completed=false&caregiverId=${clinic.careProviderIds[0]}`),
      ];
      const rest = [...writes];
      const write = async () => {
        const next = rest.shift();
        app.clock.advance({ seconds: 50 });
        if (next !== undefined) await execute(next, ids, applied);
      };
      while (rest.length > 0) {
        await write();
        for (const replica of replicas) await replica.synchronise({ limit, between: write, shuffle });
      }
      for (const replica of replicas) {
        await replica.synchronise({ limit, shuffle });
        await replica.expectEqualsList();
      }
    }),
    { numRuns: RUNS },
  );
});
