import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Client, ClientAssignment } from '../../src/directory/index.js';
import type { ScheduleConflict } from '../../src/directory/index.js';
import { buildAssignment, createPlan } from '../support/app/series-fixtures.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

const CREATE = '/gateway/profile/caregiver/session';
/** Number of races; RACES=200 runs the full size. */
const RACES = repetitionCount('RACES', 60, 200);
const RUNNERS = 10;

let app: TestApp;
let clinic: ClinicFixture;
/** One Client of the first Care Provider per runner, so that runners compete only for the Care Provider's time. */
let clientIds: number[];
let plan: number;
beforeAll(async () => {
  app = await TestApp.start();
  await logCommits();
});
afterAll(() => app.stop());
beforeEach(async () => {
  clinic = await app.createClinic();
  clientIds = await createClients();
  const weeks = [1, 2].map(() => ({ assignments: [buildAssignment(clinic.ownBookId, [1, '08:00'])] }));
  plan = await createPlan(app, clinic, { weeks });
});

const createClients = (): Promise<number[]> =>
  app.asSuperuser(async (em) => {
    const { clinicId, careProviderIds } = clinic;
    const now = app.clock.now();
    const clients = Array.from({ length: RUNNERS }, (_, index) => new Client(clinicId, { name: `C${index}` }, now));
    await em.persist(clients).flush();
    const ids = clients.map(({ id }) => id);
    await em.persist(ids.map((id) => new ClientAssignment(clinicId, id, careProviderIds[0], now))).flush();
    return ids;
  });

/**
 * Records the order in which Sessions are committed. The trigger is deferred, so it runs when its transaction commits.
 */
const logCommits = () =>
  query(
    sql`create table commit_log (place bigint generated always as identity, session_id bigint not null)`,
    sql`create function log_commit() returns trigger language plpgsql security definer as
      'begin insert into commit_log (session_id) values (new.id); return null; end'`,
    sql`create constraint trigger log_commit after insert or update of starts_at on session
      deferrable initially deferred for each row execute function log_commit()`,
  );

const query = <Row>(...statements: ReturnType<typeof sql<Row>>[]): Promise<Row[]> =>
  app.asSuperuser(async (em) => {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await statement.execute((em as SqlEntityManager).getKysely()));
    return rows;
  });

type Runner = () => Promise<TestResponse>;
/** Prepares the request of one runner in one race. */
type Kind = (race: number, runner: number, policy: 'report' | 'reject') => Promise<Runner>;
const call = (method: string, path: string, body: object, headers = {}) =>
  app.call(method, path, { token: clinic.careProviderToken, body, headers });
/** Each runner requests a different time, but all these times overlap. */
const slot = (race: number, runner: number) => {
  const date = Temporal.PlainDate.from('2027-01-04').add({ days: 14 * race });
  return { date: date.toString().replaceAll('-', '/'), time: `09:${String(4 * runner).padStart(2, '0')}` };
};
const creates: Kind = (race, runner, policy) => {
  const body = { clientId: clientIds[runner], title: 'T', ...slot(race, runner) };
  return Promise.resolve(() => call('POST', `${CREATE}?conflicts=${policy}`, body));
};
const applies: Kind = (race, runner, policy) => {
  const path = `/gateway/profile/caregiver/design-plan/${plan}/apply?conflicts=${policy}`;
  return Promise.resolve(() => call('POST', path, { clientId: clientIds[runner], ...slot(race, runner) }));
};
/** Moves a Session that is at another time before the race begins. */
const moves: Kind = async (race, runner, policy) => {
  const elsewhere = { ...slot(race, runner), time: `${10 + runner}:30` };
  const id = idsOf(await call('POST', CREATE, { clientId: clientIds[runner], title: 'T', ...elsewhere }))[0]!;
  return () => call('PATCH', `${CREATE}/${id}?conflicts=${policy}`, slot(race, runner), { 'if-match': '"1"' });
};

/** Returns the ids of the Sessions in a response. */
function idsOf({ status, text, body }: TestResponse): number[] {
  if (status >= 300) throw new Error(text);
  const message = (body as { message?: string }).message;
  if (message !== undefined) return message.match(/\d+(?=[,.])/g)!.map(Number);
  return (body as { sessions: { id: number }[] }).sessions.map(({ id }) => id);
}

async function expectOneWinner(race: number, runners: Runner[], contested = 'CARE_PROVIDER'): Promise<void> {
  const answers = await Promise.all(runners.map((run) => run()));
  const [winners, losers] = [
    answers.filter(({ status }) => status < 300),
    answers.filter(({ status }) => status >= 300),
  ];
  expect([race, winners.length, losers.map(({ status }) => status)]).toEqual([race, 1, losers.map(() => 409)]);
  const winner = idsOf(winners[0]!)[0]!;
  for (const { body } of losers) {
    const conflicts = body.conflicts as ScheduleConflict[];
    expect(conflicts.find(({ otherSessionId }) => otherSessionId === winner)).toMatchObject({ with: contested });
  }
}

/** Finds Sessions created with `reject` that overlapped an existing Session when they were committed. */
const overlapsCommittedBefore = async (sessionIds: readonly number[]): Promise<object[]> => {
  const rows = await query(sql<{ id: string; other: string }>`
    with place as (select session_id, max(place) as place from commit_log group by session_id)
    select s.id, o.id as other from session s join place sp on sp.session_id = s.id
      join session o on o.caregiver_id = s.caregiver_id and o.id <> s.id and o.starts_at < s.ends_at and o.ends_at > s.starts_at
      join place op on op.session_id = o.id
    where s.id = any(${sessionIds}::bigint[]) and op.place < sp.place`);
  return rows;
};

it(`has one winner in each of ${RACES} races of 10 parallel creates for one slot`, async () => {
  for (let race = 0; race < RACES; race += 1) {
    const runners = await Promise.all(clientIds.map((_, runner) => creates(race, runner, 'reject')));
    await expectOneWinner(race, runners);
  }
});

it('has one winner in each of 30 races of creates, applied plans and moves for one slot', async () => {
  for (let race = 0; race < 30; race += 1) {
    const runners = await Promise.all(
      clientIds.map((_, runner) => [creates, applies, moves][runner % 3]!(race, runner, 'reject')),
    );
    await expectOneWinner(race, runners);
  }
});

it('has one winner in each of 60 races of two Care Providers for the time of one Client', async () => {
  const [clientId] = clientIds as [number];
  const { clinicId, careProviderIds, careProviderToken } = clinic;
  const [, colleague] = careProviderIds;
  await app.asSuperuser((em) =>
    em.persist(new ClientAssignment(clinicId, clientId, colleague, app.clock.now())).flush(),
  );
  const tokens = [careProviderToken, await app.createToken('CARE_PROVIDER', colleague)];
  for (let race = 0; race < 60; race += 1) {
    const runners = tokens.map((token, runner) => () => {
      const body = { clientId, title: 'T', ...slot(race, runner) };
      return app.call('POST', `${CREATE}?conflicts=reject`, { token, body });
    });
    await expectOneWinner(race, runners, 'CLIENT');
  }
});

describe.each<[string, Kind[]]>([
  ['creates', [creates]],
  ['creates, applied plans and moves', [creates, applies, moves]],
])('%s that reject against some that do not, 60 races', (_, kinds) => {
  it('a winner that rejects overlaps nothing that was committed before it', async () => {
    let winners = 0;
    for (let race = 0; race < 60; race += 1) {
      const policyOf = (runner: number) => (runner % 2 === 0 ? 'reject' : 'report');
      const runners = await Promise.all(
        clientIds.map((_, runner) => kinds[(runner + race) % kinds.length]!(race, runner, policyOf(runner))),
      );
      const answers = await Promise.all(runners.map((run) => run()));
      const rejecting = answers.filter((_, runner) => policyOf(runner) === 'reject');
      const reporting = answers.filter((_, runner) => policyOf(runner) === 'report');
      expect(reporting.filter(({ status }) => status >= 300)).toEqual([]);
      expect(rejecting.filter(({ status }) => status >= 300 && status !== 409)).toEqual([]);
      const won = rejecting.filter(({ status }) => status < 300).flatMap(idsOf);
      winners += won.length;
      expect([race, await overlapsCommittedBefore(won)]).toEqual([race, []]);
    }
    // Without any winner, the races would have tested nothing.
    expect(winners).toBeGreaterThan(0);
  });
});

it('does not deadlock when a series is revised while others reject overlaps with it, 60 races', async () => {
  const series = '/gateway/profile/caregiver/series';
  let revised = 0;
  for (let race = 0; race < 60; race += 1) {
    const applied = await (await applies(race, 0, 'report'))();
    const id = idsOf(applied)[0]!;
    const path = `${series}/${applied.body.seriesId as string}`;
    const planPath = `/gateway/profile/clinic/design-plan/${plan}`;
    const { body, headers } = await app.call('GET', planPath, { token: clinic.clinicToken });
    const weeks = Array.from({ length: 2 + ((race + 1) % 3) }, () => ({ assignments: [] }));
    const replaced = await app.call('PUT', planPath, {
      token: clinic.clinicToken,
      headers: { 'if-match': headers.get('etag')! },
      body: { planName: body.planName, weeks },
    });
    expect(replaced.status).toBe(200);
    const asked = await creates(race, 1, 'reject');
    const answers = await Promise.all([
      call('POST', `${path}/revise`, {}),
      call('POST', `${path}/shift?conflicts=reject`, { days: 1 }),
      call('PATCH', `${CREATE}/${id}?conflicts=reject&scope=following`, { time: '12:00' }, { 'if-match': '"1"' }),
      call('POST', `${path}/pause?conflicts=reject`, {}),
      asked(),
      call('POST', `${CREATE}/${id}/cancel?conflicts=reject`, { reason: 'OTHER' }),
    ]);
    if (answers[0].status === 200) revised += 1;
    const unexpected = answers.filter(({ status }) => ![200, 201, 409, 412].includes(status));
    expect([race, unexpected.map(({ text }) => text)]).toEqual([race, []]);
  }
  expect(revised).toBe(60);
});

it('does not deadlock when a plan is replaced while it is applied, 60 races', async () => {
  const path = `/gateway/profile/clinic/design-plan/${plan}`;
  const { planName, weeks } = (await app.call('GET', path, { token: clinic.clinicToken })).body;
  for (let race = 0; race < 60; race += 1) {
    const replace: Runner = () =>
      app.call('PUT', path, {
        token: clinic.clinicToken,
        headers: { 'if-match': `"${race + 1}"` },
        // Each replacement changes the plan, so that it makes a new revision.
        body: { planName: `${planName} ${race}`, weeks, caregiverId: clinic.careProviderIds[0] * (race % 2) },
      });
    const [first, second, third] = await Promise.all([0, 1, 2].map((runner) => applies(race, runner, 'reject')));
    const answers = await Promise.all([first!(), second!(), replace(), third!()]);
    expect([race, answers.map(({ status }) => status).toSorted()]).toEqual([race, [200, 201, 409, 409]]);
  }
});
