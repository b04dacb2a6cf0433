import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Client } from '../../src/directory/index.js';
import { Reminder } from '../../src/reminder/index.js';
import { Session } from '../../src/session/index.js';
import { createPlan } from '../support/app/series-fixtures.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { listEncryptedColumns } from '../support/app/encrypted-columns.js';
import { TestApp, type TestResponse, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests the effects on Sessions and reminders when a person is deactivated, or when a Care Provider's Clients are
 * reassigned.
 */

const CLINIC = '/gateway/profile/clinic';

let app: TestApp;
let clinic: ClinicFixture;
let past: number;
let ahead: number;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
  [past, ahead] = [await create({ date: '2026/11/20' }), await create({ date: '2027/03/01' })];
});

/** Creates a Session of the first Care Provider with the first Client, and a reminder a week after it. */
async function create(change: object): Promise<number> {
  const body = { clientId: clinic.clientIds[0], title: 'T', time: '09:30', reminders: ['P7D'], ...change };
  const path = '/gateway/profile/caregiver/session';
  const answer = await app.call('POST', path, { token: clinic.careProviderToken, body });
  const list = await app.call('GET', answer.headers.get('location')!, { token: clinic.careProviderToken });
  return list.body.items[0].id as number;
}
const stored = (id: number) => app.asSuperuser((em) => em.findOneOrFail(Session, { id }));
const reminders = async (id: number) =>
  (await app.asSuperuser((em) => em.find(Reminder, { sessionId: id }, { orderBy: { id: 'asc' } }))).map(
    ({ recipientKind, recipientId, status, reason }) => [recipientKind, recipientId, status, reason],
  );
const leave = (path: string) => app.call('DELETE', `${CLINIC}/${path}`, { token: clinic.clinicToken });

const reassign = () =>
  app.call('POST', `${CLINIC}/care-provider/${clinic.careProviderIds[0]}/reassign`, {
    token: clinic.clinicToken,
    body: { toCareProviderId: clinic.careProviderIds[1] },
  });

it('a deactivated Client: upcoming Sessions are cancelled, past ones stay, no reminder is sent to the Client', async () => {
  const [client, careProvider] = [clinic.clientIds[0], clinic.careProviderIds[0]];
  expect((await leave(`client/${client}`)).status).toBe(204);
  expect(await stored(ahead)).toMatchObject({ status: 'CANCELLED', cancelReason: 'CLIENT_LEFT' });
  expect(await stored(past)).toMatchObject({ status: 'SCHEDULED', version: 1 });
  expect(await reminders(ahead)).toEqual([
    ['CLIENT', client, 'WITHDRAWN', 'SESSION_CANCELLED'],
    ['CARE_PROVIDER', careProvider, 'WITHDRAWN', 'SESSION_CANCELLED'],
  ]);
  expect(await reminders(past)).toEqual([
    ['CLIENT', client, 'WITHDRAWN', 'RECIPIENT_LEFT'],
    ['CARE_PROVIDER', careProvider, 'PENDING', null],
  ]);
});

it('a deactivated Care Provider: upcoming Sessions are cancelled as well', async () => {
  const [client, careProvider] = [clinic.clientIds[0], clinic.careProviderIds[0]];
  const other = await create({ date: '2027/04/01', caregiverId: clinic.careProviderIds[1] });
  expect((await leave(`care-provider/${careProvider}`)).status).toBe(204);
  expect(await stored(ahead)).toMatchObject({ status: 'CANCELLED', cancelReason: 'CARE_PROVIDER_LEFT' });
  expect(await stored(other)).toMatchObject({ status: 'SCHEDULED' });
  expect(await reminders(past)).toEqual([
    ['CLIENT', client, 'PENDING', null],
    ['CARE_PROVIDER', careProvider, 'WITHDRAWN', 'RECIPIENT_LEFT'],
  ]);
});

it.each([
  ['the Client is deactivated', () => leave(`client/${clinic.clientIds[0]}`)],
  ['the Care Provider is deactivated', () => leave(`care-provider/${clinic.careProviderIds[0]}`)],
  [
    'the Client is changed',
    () => {
      const path = `${CLINIC}/client/${clinic.clientIds[0]}`;
      return app.call('PATCH', path, { token: clinic.clinicToken, body: { active: false } });
    },
  ],
])('the audit entry names the Sessions that are cancelled: %s', async (_, deactivate) => {
  expect((await deactivate()).status).toBeLessThan(300);
  const find = async (id: number) => {
    const { body } = await app.call('GET', `${CLINIC}/audit?record=session/${id}&access=WRITE`, {
      token: clinic.clinicToken,
    });
    return body.items.map(({ operation }: { operation: string }) => operation.split(' ')[0]);
  };
  expect(await find(ahead)).toEqual([expect.stringMatching(/DELETE|PATCH/)]);
  expect(await find(past)).toEqual([]);
});

it('an import that deactivates several people: the Sessions of each of them are cancelled', async () => {
  const [first, second, third] = clinic.clientIds;
  const ofSecond = await create({ clientId: second, date: '2027/03/02' });
  await app.call('PUT', `${CLINIC}/client/${third}/care-provider/${clinic.careProviderIds[0]}`, {
    token: clinic.clinicToken,
  });
  const ofThird = await create({ clientId: third, date: '2027/03/03' });
  const pastOfSecond = await create({ clientId: second, date: '2026/11/19' });
  for (const id of [first, second])
    await app.call('PATCH', `${CLINIC}/client/${id}`, { token: clinic.clinicToken, body: { externalId: `e${id}` } });
  const lines = [first, second].map((id) => JSON.stringify({ externalId: `e${id}`, name: 'Alex', active: false }));
  const headers = { 'content-type': 'application/x-ndjson' };
  const raw = lines.join('\n');
  const answer = await app.call('POST', `${CLINIC}/client/import`, { token: clinic.clinicToken, raw, headers });
  expect(answer.text.match(/"replaced"/g)).toHaveLength(2);
  for (const id of [ahead, ofSecond])
    expect(await stored(id)).toMatchObject({ status: 'CANCELLED', cancelReason: 'CLIENT_LEFT', version: 2 });
  for (const id of [past, pastOfSecond, ofThird])
    expect(await stored(id)).toMatchObject({ status: 'SCHEDULED', version: 1 });
  for (const [id, client] of [
    [past, first],
    [pastOfSecond, second],
  ] as const)
    expect(await reminders(id)).toEqual([
      ['CLIENT', client, 'WITHDRAWN', 'RECIPIENT_LEFT'],
      ['CARE_PROVIDER', clinic.careProviderIds[0], 'PENDING', null],
    ]);
  expect((await reminders(ofThird)).map(([, , status]) => status)).toEqual(['PENDING', 'PENDING']);
});

it.each([
  ['Client', () => leave(`client/${clinic.clientIds[0]}`)],
  ['Care Provider', () => leave(`care-provider/${clinic.careProviderIds[0]}`)],
  ['Care Provider whose Clients are reassigned', () => reassign()],
])('the texts of the Sessions of a %s are neither read nor written', async (_, change) => {
  const described = await create({ date: '2027/03/02', description: 'Why' });
  const seen: string[] = [];
  const untap = await interceptStatements(app, { before: (statement) => void seen.push(statement) });
  await change().finally(untap);
  const ofSessions = seen.filter((statement) => /(from|update) "session"/.test(statement));
  expect(ofSessions.length).toBeGreaterThan(1);
  for (const column of listEncryptedColumns(app, Session))
    expect(ofSessions).not.toContainEqual(expect.stringContaining(`"${column}"`));
  expect(await stored(described)).toMatchObject({ version: 2, title: 'T', description: 'Why', cancelNote: null });
});

it('a deactivated Clinic: no reminder is sent to its people', async () => {
  const path = `/gateway/admin/clinic/${clinic.clinicId}`;
  const token = await app.createToken('ADMIN');
  expect((await app.call('PATCH', path, { token, body: { active: false } })).status).toBe(200);
  app.clock.set('2027-03-08T09:30:00Z');
  await app.deliverDueReminders();
  expect((await reminders(ahead)).map(([, , ...state]) => state)).toEqual([
    ['SKIPPED', 'RECIPIENT_GONE'],
    ['SKIPPED', 'RECIPIENT_GONE'],
  ]);
  expect(app.deliveredMessages.filter(({ clinicId }) => clinicId === clinic.clinicId)).toEqual([]);
});

it('a reassignment moves the upcoming Sessions with their reminders', async () => {
  const [from, to] = clinic.careProviderIds;
  const answer = await reassign();
  expect([answer.status, answer.body.sessions, answer.body.conflictCount]).toEqual([
    200,
    [{ id: ahead, version: 2 }],
    0,
  ]);
  expect(await stored(ahead)).toMatchObject({ caregiverId: to, status: 'SCHEDULED', version: 2 });
  expect(await stored(past)).toMatchObject({ caregiverId: from, version: 1 });
  expect(await reminders(ahead)).toEqual([
    ['CLIENT', clinic.clientIds[0], 'PENDING', null],
    ['CARE_PROVIDER', to, 'PENDING', null],
  ]);
});

it('a reassignment counts the overlaps with Sessions of the new Care Provider', async () => {
  const ofColleague = { clientId: clinic.clientIds[1], caregiverId: clinic.careProviderIds[1] };
  await create({ ...ofColleague, date: '2027/03/01', time: '10:00' });
  // These do not overlap: a Session on another day, and a Session that begins when the reassigned one ends.
  await create({ ...ofColleague, date: '2027/03/02' });
  await create({ ...ofColleague, date: '2027/03/01', time: '10:20' });
  expect((await reassign()).body).toMatchObject({
    sessionCount: 1,
    conflictCount: 1,
  });
  expect(await stored(ahead)).toMatchObject({ caregiverId: clinic.careProviderIds[1] });
});

it('overlaps are counted up to 100,000', async () => {
  const { seriesId } = await stored(await create({ date: '2027/03/01' }));
  await app.asSuperuser((em) =>
    (em as SqlEntityManager).execute(
      `insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time,
         time_zone, duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
       select clinic_id, series_id, position + n, caregiver_id, client_id, title, planned_date, planned_time,
         time_zone, duration_minutes, starts_at, ends_at, status, version, created_at, updated_at
       from session, generate_series(1, 350) n where series_id = ?`,
      [seriesId],
    ),
  );
  expect((await reassign()).body).toMatchObject({ sessionCount: 352, conflictCount: 100_000 });
});

it('the previous Care Provider cannot change a reassigned series', async () => {
  const [from, to] = clinic.careProviderIds;
  const first = await create({ date: '2026/11/19', sessionCount: 3 });
  const { seriesId } = await stored(first);
  const body = { toCareProviderId: to };
  await app.call('POST', `${CLINIC}/care-provider/${from}/reassign`, { token: clinic.clinicToken, body });
  const call = async (token: string, method: string, path: string, body?: object, scope = '') => {
    // Reads do not support `dryRun`.
    const target = `/gateway/profile/caregiver/${path}${method === 'GET' ? '' : `?dryRun=true${scope}`}`;
    return (await app.call(method, target, { token, body, headers: { 'if-match': '"1"' } })).status;
  };
  const [former, present] = [clinic.careProviderToken, await app.createToken('CARE_PROVIDER', to)];
  for (const [token, status] of [
    [former, 404],
    [present, 200],
  ] as const) {
    expect(await call(token, 'GET', `series/${seriesId}`)).toBe(status);
    expect(await call(token, 'POST', `series/${seriesId}/shift`, { days: 2 })).toBe(status);
    expect(await call(token, 'POST', `session/${first}/cancel`, { reason: 'OTHER' })).toBe(200);
    for (const scope of ['&scope=following', '&scope=series']) {
      expect(await call(token, 'PATCH', `session/${first}`, { title: 'Mine' }, scope)).toBe(status);
      expect(await call(token, 'POST', `session/${first}/cancel`, { reason: 'OTHER' }, scope)).toBe(status);
    }
  }
});

describe('a deactivated participant gets no new Sessions', () => {
  const ROLES = { client: 'Client', 'care-provider': 'Care Provider' };
  const step = (path: string, body?: object) =>
    app.call('POST', `${CLINIC}/${path}`, { token: clinic.clinicToken, body });
  const idOf = (who: string) => (who === 'client' ? clinic.clientIds[0] : clinic.careProviderIds[0]);

  describe.each(['client', 'care-provider'] as const)('%s', (who) => {
    const expectRefused = async (answer: TestResponse, id: number) => {
      expect([answer.status, answer.body.detail]).toEqual([
        409,
        expect.stringContaining(`cannot be scheduled because its ${ROLES[who]} is deactivated`),
      ]);
      expect((await stored(id)).status).toBe('CANCELLED');
    };

    it('undo', async () => {
      await leave(`${who}/${idOf(who)}`);
      await expectRefused(await step(`session/${ahead}/undo`), ahead);
      await expectRefused(await step(`session/${ahead}/undo?dryRun=true`), ahead);
      expect((await reminders(ahead)).map(([, , status]) => status)).toEqual(['WITHDRAWN', 'WITHDRAWN']);
      // A reactivated participant can have Sessions again.
      await app.call('PATCH', `${CLINIC}/${who}/${idOf(who)}`, { token: clinic.clinicToken, body: { active: true } });
      expect((await step(`session/${ahead}/undo`)).status).toBe(200);
    });

    it('undo within a paused series, and so its resumption', async () => {
      const { seriesId } = await stored(ahead);
      await step(`series/${seriesId}/pause`);
      await leave(`${who}/${idOf(who)}`);
      await expectRefused(await step(`session/${ahead}/undo`), ahead);
      expect((await step(`series/${seriesId}/resume`)).body.sessions).toEqual([]);
      expect((await stored(ahead)).status).toBe('CANCELLED');
    });

    it('moving a past Session to a future day', async () => {
      await leave(`${who}/${idOf(who)}`);
      const move = (body: object) =>
        app.call('PATCH', `${CLINIC}/session/${past}`, {
          ...{ token: clinic.clinicToken, body, headers: { 'if-match': '"1"' } },
        });
      expect((await move({ date: '2027/03/02' })).status).toBe(409);
      expect(await stored(past)).toMatchObject({ plannedDate: '2026-11-20', version: 1 });
      // Past Sessions can still be corrected.
      expect((await move({ title: 'Other' })).status).toBe(200);
    });

    it('a past Session can be completed, and the completion undone', async () => {
      await leave(`${who}/${idOf(who)}`);
      expect((await step(`session/${past}/no-show`)).status).toBe(200);
      expect((await step(`session/${past}/undo`)).status).toBe(200);
      expect((await step(`session/${past}/complete`)).status).toBe(200);
    });

    it('a new week of the plan', async () => {
      const plan = await createPlan(app, clinic, { weeks: [{ assignments: [] }] });
      const applied = await app.call('POST', `/gateway/profile/caregiver/design-plan/${plan}/apply`, {
        token: clinic.careProviderToken,
        body: { clientId: clinic.clientIds[0], date: '2027/03/01', time: '12:00' },
      });
      await app.call('PUT', `${CLINIC}/design-plan/${plan}`, {
        token: clinic.clinicToken,
        headers: { 'if-match': '"1"' },
        body: { planName: 'Sleep', weeks: [{ assignments: [] }, { assignments: [] }] },
      });
      await leave(`${who}/${idOf(who)}`);
      const { seriesId } = applied.body;
      await expectRefused(await step(`series/${seriesId}/revise`, {}), applied.body.sessions[0].id);
      expect((await step(`series/${seriesId}/revise?dryRun=true`, {})).status).toBe(409);
      const sessions = await app.asSuperuser((em) => em.find(Session, { seriesId }));
      expect(sessions.map(({ status }) => status)).toEqual(['CANCELLED']);
    });
  });

  it('a paused series with them cannot be resumed', async () => {
    const { seriesId } = await stored(ahead);
    await step(`series/${seriesId}/pause`);
    // Creates a state that earlier releases could leave behind, because a deactivation did not cancel Sessions.
    await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clinic.clientIds[0] }, { active: false }));
    expect((await step(`series/${seriesId}/resume`)).status).toBe(409);
    expect((await stored(ahead)).status).toBe('PAUSED');
    expect((await step(`session/${ahead}/cancel`, { reason: 'TREATMENT_ENDED' })).status).toBe(200);
  });

  it('a Session with an active Care Provider is still restored', async () => {
    const other = await create({ date: '2027/04/01', caregiverId: clinic.careProviderIds[1] });
    await step(`session/${other}/cancel`, { reason: 'OTHER' });
    await leave(`care-provider/${clinic.careProviderIds[0]}`);
    expect((await step(`session/${other}/undo`)).status).toBe(200);
  });
});

it('a deactivation changes nothing of another Clinic', async () => {
  const foreign = await app.createClinic();
  expect(
    (await app.call('DELETE', `${CLINIC}/client/${clinic.clientIds[0]}`, { token: foreign.clinicToken })).status,
  ).toBe(404);
  expect(await stored(ahead)).toMatchObject({ status: 'SCHEDULED' });
});
