import fc from 'fast-check';
import { repetitionCount } from '../support/app/repetitions.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Synchronisation: a replica that follows the changes and tombstones of a list equals the list. */

const RUNS = repetitionCount('SYNC_RUNS', 2, 40);
const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';
const CLIENT = '/gateway/profile/client';

type Item = { id: number; version: number };
type SyncPage = { items: Item[]; deleted: Item[]; nextCursor: string | null; syncToken: string | null };

let app: TestApp;
let clinic: ClinicFixture;
/** The tokens of both Care Providers of the Clinic. */
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
  return list.items.map(({ id }) => id);
}

/** A copy of a list, kept by a consumer that applies the pages of a pass in any order. */
class Replica {
  private readonly copies = new Map<number, { version: number; item: Item | null }>();
  private syncToken: string | undefined;

  constructor(
    private readonly path: string,
    private readonly token: string,
    private readonly filters = '',
  ) {}

  /** @param between runs before each page but the first */
  async synchronise(limit = 200, between: () => Promise<void> = async () => undefined, shuffle = false): Promise<void> {
    const query = `limit=${limit}&${this.filters}&${this.syncToken ? `syncToken=${this.syncToken}` : 'sync=true'}`;
    const pages: SyncPage[] = [];
    do {
      const cursor = pages.at(-1)?.nextCursor;
      if (cursor) await between();
      pages.push(await get(`${this.path}?${query}${cursor ? `&cursor=${cursor}` : ''}`, this.token));
    } while (pages.at(-1)!.nextCursor !== null);
    this.syncToken = pages.at(-1)!.syncToken!;
    expect(pages.slice(0, -1).every(({ syncToken }) => syncToken === null)).toBe(true);
    for (const page of shuffle ? pages.toReversed() : pages) this.apply(page);
  }

  private apply({ items, deleted }: SyncPage): void {
    const changes = [
      ...items.map((item) => ({ ...item, item })),
      ...deleted.map((tombstone) => ({ ...tombstone, item: null })),
    ];
    for (const { id, version, item } of changes) {
      const known = this.copies.get(id);
      if (known === undefined || version >= known.version) this.copies.set(id, { version, item });
    }
  }

  get items(): Item[] {
    const items = [...this.copies.values()].flatMap(({ item }) => item ?? []);
    return items.sort((left, right) => left.id - right.id);
  }

  async expectEqualsList(): Promise<void> {
    const { items } = await get(`${this.path}?limit=200&${this.filters}`, this.token);
    expect(this.items).toEqual(items.sort((left, right) => left.id - right.id));
  }
}

it('returns changes, and tombstones of Sessions that the caller no longer sees', async () => {
  const [id] = await book();
  const [ofColleague] = await book({ caregiverId: clinic.careProviderIds[1] });
  const replicas = [
    new Replica(`${CAREGIVER}/session`, clinic.careProviderToken),
    new Replica(`${CLINIC}/session`, clinic.clinicToken, 'status=SCHEDULED,PAUSED'),
    new Replica(`${CLIENT}/session`, clientToken),
  ];
  const [own, open] = replicas as [Replica, Replica];
  for (const replica of replicas) await replica.synchronise(1);
  expect(own.items.map((item) => item.id)).toEqual([id, ofColleague]);

  app.clock.advance({ minutes: 10 });
  const assignment = `${CLINIC}/client/${clinic.clientIds[0]}/care-provider/${clinic.careProviderIds[0]}`;
  await app.call('DELETE', assignment, { token: clinic.clinicToken });
  const body = { reason: 'CLIENT_REQUEST' };
  await app.call('POST', `${CLINIC}/session/${id}/cancel`, { token: clinic.clinicToken, body });
  for (const replica of replicas) {
    await replica.synchronise(1);
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
  const replica = new Replica(path, token);
  await replica.synchronise(1);
  app.clock.advance({ minutes: 10 });
  await app.call('DELETE', `/gateway/profile/clinic${first.headers.get('location')!}`, { token });
  await create('C');
  await replica.synchronise(1);
  await replica.expectEqualsList();
  expect(replica.items).toMatchObject([{ planName: 'B' }, { planName: 'C', version: 1 }]);
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
  const gone = [410, 'sync-token-expired', undefined];
  expect(await call(`syncToken=${syncToken}&status=SCHEDULED,PAUSED`, other.clinicToken)).toEqual(gone);
  expect(await call(`syncToken=${syncToken}`, clinic.clinicToken, `${CLINIC}/design-plan`)).toEqual(gone);
  app.clock.advance({ hours: 31 * 24 });
  expect(await call(`syncToken=${syncToken}&status=SCHEDULED,PAUSED`)).toEqual(gone);
  app.clock.advance({ hours: -31 * 24 });
});

const commands = fc.array(
  fc.record({
    kind: fc.constantFrom('book', 'book', 'cancel', 'undo', 'shift', 'homework', 'assign', 'unassign', 'reassign'),
    pick: fc.nat(99),
    who: fc.constantFrom(0 as const, 1 as const),
    client: fc.constantFrom(0 as const, 1 as const, 2 as const),
  }),
  { minLength: 8, maxLength: 14 },
);
type Command = typeof commands extends fc.Arbitrary<(infer One)[]> ? One : never;

async function execute({ kind, pick, who, client }: Command, ids: number[]): Promise<void> {
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
    case 'homework': {
      const { body } = await app.call('GET', `${CLIENT}/homework?limit=200`, { token: clientToken });
      const homework = body.items[pick % Math.max(body.items.length as number, 1)] as Item | undefined;
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
      const replicas = [
        new Replica(`${CLINIC}/session`, clinic.clinicToken),
        new Replica(
          `${CLINIC}/session`,
          clinic.clinicToken,
          `status=SCHEDULED&caregiverId=${clinic.careProviderIds[1]}`,
        ),
        new Replica(`${CAREGIVER}/session`, careProviders[0]),
        new Replica(`${CAREGIVER}/session`, careProviders[1], `clientId=${clinic.clientIds.slice(0, 2).join()}`),
        new Replica(`${CLIENT}/session`, clientToken),
      ];
      const rest = [...writes];
      const write = async () => {
        const next = rest.shift();
        app.clock.advance({ seconds: 50 });
        if (next !== undefined) await execute(next, ids);
      };
      while (rest.length > 0) {
        await write();
        for (const replica of replicas) await replica.synchronise(limit, write, shuffle);
      }
      for (const replica of replicas) {
        await replica.synchronise(limit, undefined, shuffle);
        await replica.expectEqualsList();
      }
    }),
    { numRuns: RUNS },
  );
}, 120_000);
