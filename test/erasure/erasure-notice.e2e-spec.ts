import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import PostalMime, { type Email } from 'postal-mime';
import { CareProvider } from '../../src/directory/index.js';
import { ErasureRun } from '../../src/erasure/run/erasure.run.js';
import { RetentionRun } from '../../src/retention/run/retention.run.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { findCanaries, createCanary } from '../support/contract/canary-clinic.js';
import { TestSmtpServer } from '../support/reminder/smtp-server.js';
import { itOnOneServer } from '../support/database/one-server-tests.js';
import { WebhookReceiver } from '../support/reminder/webhook-receiver.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * The erasure of a Client cancels their upcoming Sessions. Their Care Providers get a notice, which outlives the Sessions
 * and has no name, title or address in it.
 */

const CLINIC = '/gateway/profile/clinic';
const SESSIONS = '/gateway/profile/caregiver/session';
const NOW = '2026-11-21T10:00:00Z';

type Notice = { id: number; sessionId: number; recipientKind: string; recipientId: number; status: string };

let app: TestApp;
let smtp: TestSmtpServer;
let webhook: WebhookReceiver;
let clinic: ClinicFixture;
beforeAll(async () => {
  smtp = await TestSmtpServer.start();
  webhook = await WebhookReceiver.start((response) => response.writeHead(204).end());
  app = await TestApp.start({ rawVariables: { ...smtp.variables, ...webhook.variables } });
  // Only the test carries erasures out.
  await app.nest.get(Scheduler).stop('erasure');
});
beforeEach(async () => {
  app.clock.set(NOW);
  clinic = await app.createClinic();
  [smtp.mails.length, webhook.calls.length] = [0, 0];
});
afterAll(async () => {
  await app.stop();
  await smtp.stop();
  webhook.stop();
});

const asClinic = async (method: string, path: string, body?: object) => {
  const answer = await app.call(method, CLINIC + path, { token: clinic.clinicToken, ...(body && { body }) });
  expect({ path, isSuccess: [200, 201, 204].includes(answer.status) }).toEqual({ path, isSuccess: true });
  return answer;
};
const emailOf = (id: number) => `${createCanary(`care-provider-${id}`)}@example.org`;
const changeCareProvider = (id: number, change: { locale?: string; timeZone?: string }) =>
  app.asSuperuser(async (em) => {
    const careProvider = await em.findOneOrFail(CareProvider, { id });
    em.assign(careProvider, { email: emailOf(id), name: createCanary('Name'), ...change });
  });

/** Creates a Session with canaries, for the first Client unless `change` says otherwise. Returns its ID. */
async function book(change: object, careProviderId = clinic.careProviderIds[0]): Promise<number> {
  const texts = { title: createCanary('Title'), description: createCanary('Description') };
  const body = { clientId: clinic.clientIds[0], time: '09:30', ...texts, ...change };
  const token = await app.createToken('CARE_PROVIDER', careProviderId);
  const answer = await app.call('POST', SESSIONS, { token, body });
  expect(answer.status).toBe(201);
  const { body: created } = await app.call('GET', answer.headers.get('location')!, { token });
  return (created.items as { id: number }[])[0]!.id;
}

/** Erases the first Client, and lets the job finish. */
async function erase(): Promise<void> {
  const path = `/client/${clinic.clientIds[0]}/erasure`;
  const { id } = (await asClinic('POST', path, { reason: 'SUBJECT_REQUEST' })).body;
  app.clock.advance({ hours: 1 });
  await asClinic('POST', `${path}/${id}/confirmation`);
  // A repetition has the same answer, and plans no notice again.
  await asClinic('POST', `${path}/${id}/confirmation`);
  await app.nest.get(ErasureRun).eraseConfirmed();
  expect((await asClinic('GET', `${path}/${id}`)).body.erasedAt).not.toBeNull();
}
const listNotices = async () => (await asClinic('GET', '/reminder?sort=dueAt')).body.items as Notice[];
const readMails = () =>
  Promise.all(smtp.mails.map(async ({ raw, recipient }) => ({ recipient, mail: await PostalMime.parse(raw) })));

const toUnsubscribeLink = ({ headers }: Email) => headers.find(({ key }) => key === 'list-unsubscribe')?.value;

describe('the notice', () => {
  it('goes once to each Care Provider with upcoming Sessions, and names these by id and local time', async () => {
    const [first, second] = clinic.careProviderIds;
    await asClinic('PUT', `/client/${clinic.clientIds[0]}/care-provider/${second}`);
    for (const id of [first, second]) await changeCareProvider(id, { locale: 'en-GB', timeZone: 'Europe/Berlin' });
    const past = await book({ date: '2026/11/20' });
    const own = [await book({ date: '2027/01/04' }), await book({ date: '2027/01/05' })];
    const [other] = [await book({ date: '2027/01/06', time: '15:00' }, second)];
    const kept = await book({ date: '2027/01/07', clientId: clinic.clientIds[1] });
    const cancelled = await book({ date: '2027/01/08' });
    const reason = { reason: 'ILLNESS' };
    expect(
      (await app.call('POST', `${SESSIONS}/${cancelled}/cancel`, { token: clinic.careProviderToken, body: reason }))
        .status,
    ).toBe(200);
    await erase();
    const notices = await listNotices();
    expect(notices.map(({ sessionId, recipientId }) => [sessionId, recipientId]).toSorted()).toEqual([
      ...own.map((id) => [id, first]),
      [other, second],
    ]);
    await app.deliverDueReminders();
    await app.deliverDueReminders();
    const mails = await readMails();
    expect(mails.map(({ recipient }) => recipient).toSorted()).toEqual([emailOf(first), emailOf(second)].toSorted());
    const text = mails.find(({ recipient }) => recipient === emailOf(first))!.mail.text!;
    // The comma depends on the version of ICU.
    expect(text).toMatch(new RegExp(`Appointment ${own[0]} on Monday,? 4 January 2027 at 10:30 was cancelled`));
    expect(text).toMatch(new RegExp(`Appointment ${own[1]} on Tuesday,? 5 January 2027 at 10:30 was cancelled`));
    for (const id of [past, other, kept, cancelled]) expect(text).not.toContain(`Appointment ${id} `);
    for (const { mail } of mails) {
      expect(mail.attachments).toEqual([]);
      // Preferences do not apply to notices, so the message offers no opt-out.
      expect(toUnsubscribeLink(mail)).toBeUndefined();
      expect(`${mail.text} ${mail.html}`).not.toMatch(/opt-out|these reminders/);
      const { subject, from, text, html } = mail;
      const headers = mail.headers.filter(({ key }) => key !== 'to');
      expect(findCanaries({ subject, from, text, html, headers })).toEqual([]);
    }
    expect((await listNotices()).map(({ status }) => status)).toEqual(['SENT', 'SENT', 'SENT']);
  });

  it('does not name a paused Session whose date has passed, because no Care Provider expects it', async () => {
    const [passed, upcoming] = [await book({ date: '2026/11/22' }), await book({ date: '2027/01/04' })];
    for (const id of [passed, upcoming]) {
      const token = clinic.careProviderToken;
      const { body } = await app.call('GET', `${SESSIONS}/${id}`, { token });
      const series = `/gateway/profile/caregiver/series/${body.seriesId}`;
      expect((await app.call('POST', `${series}/pause`, { token })).status).toBe(200);
    }
    app.clock.set('2026-11-23T10:00:00Z');
    await erase();
    expect((await listNotices()).map(({ sessionId }) => sessionId)).toEqual([upcoming]);
  });

  it.each([
    ['en', 'An appointment was cancelled', /Appointment \d+ on Monday, 4 January 2027, 09:30 was cancelled, because/],
    ['de', 'Ein Termin wurde abgesagt', /Der Termin \d+ am Montag, 4. Januar 2027 um 09:30 wurde abgesagt, weil/],
    ['es', 'Se canceló una cita', /La cita \d+ del lunes, 4 de enero de 2027, 9:30 se canceló, porque/],
    ['fr', 'Un rendez-vous a été annulé', /Le rendez-vous \d+ du lundi 4 janvier 2027 à 09:30 a été annulé, car/],
  ])('is written in %s', async (locale, subject, line) => {
    await changeCareProvider(clinic.careProviderIds[0], { locale, timeZone: 'Europe/London' });
    await book({ date: '2027/01/04' });
    await erase();
    await app.deliverDueReminders();
    const [{ mail }] = (await readMails()) as [Awaited<ReturnType<typeof readMails>>[number]];
    expect(mail.subject).toBe(subject);
    expect(mail.text).toMatch(line);
  });

  it('comes with reminders that are due in the same message', async () => {
    await changeCareProvider(clinic.careProviderIds[0], { locale: 'en', timeZone: 'Europe/London' });
    const own = await book({ date: '2027/01/04' });
    await book({ date: '2027/01/05', clientId: clinic.clientIds[1], remindDays: 0 });
    await erase();
    await app.deliverDueReminders();
    const mails = (await readMails()).filter(({ recipient }) => recipient === emailOf(clinic.careProviderIds[0]));
    expect(mails.map(({ mail }) => mail.subject)).toEqual(['An appointment was cancelled']);
    expect(toUnsubscribeLink(mails[0]!.mail)).toContain('/reminder/opt-out/session/');
    expect(mails[0]!.mail.text).toContain(`Appointment ${own} on Monday, 4 January 2027, 09:30 was cancelled`);
    expect(mails[0]!.mail.text).toContain('You have an appointment on Tuesday, 5 January 2027, 09:30.');
  });

  it('reaches a Care Provider despite an opt-out of reminders, and waits for the end of quiet hours', async () => {
    const body = { optedOut: ['SESSION', 'HOMEWORK'], quietHours: { from: '10:00', to: '12:00' } };
    const token = clinic.careProviderToken;
    await changeCareProvider(clinic.careProviderIds[0], { timeZone: 'UTC' });
    const path = '/gateway/profile/caregiver/reminder-preference';
    expect((await app.call('PUT', path, { token, body })).status).toBe(200);
    await book({ date: '2027/01/04' });
    await erase();
    await app.deliverDueReminders();
    expect(smtp.mails).toEqual([]);
    app.clock.set('2026-11-21T12:00:00Z');
    await app.deliverDueReminders();
    expect(smtp.mails).toHaveLength(1);
  });

  itOnOneServer('waits for an instance that knows notices, while others still run', async () => {
    await changeCareProvider(clinic.careProviderIds[0], { locale: 'en', timeZone: 'Europe/London' });
    const own = await book({ date: '2027/01/04' });
    const kept = await book({ date: '2027/01/05', clientId: clinic.clientIds[1], remindDays: 0 });
    await erase();
    /** Reads and locks due reminders as an instance does that sets these variables. */
    const findDue = (...variables: [string, string][]) =>
      app.asSuperuser(async (em) => {
        const kysely = (em as SqlEntityManager).getKysely();
        for (const [name, value] of [['role', 'scheduling_reminders'], ...variables])
          await sql`select set_config(${name}, ${value}, true)`.execute(kysely);
        const { rows } = await sql<{ id: string | null }>`
          select session_id as id from reminder where clinic_id = ${clinic.clinicId} and status = 'PENDING'
            and recipient_kind = 'CARE_PROVIDER' order by session_id for update skip locked`.execute(kysely);
        return rows.map(({ id }) => id && Number(id));
      });
    expect(await findDue()).toEqual([kept]);
    expect(await findDue(['app.knows_notices', 'on'])).toEqual([kept, null]);
    await app.deliverDueReminders();
    const texts = (await readMails()).map(({ mail }) => mail.text);
    expect(texts.filter((text) => text!.includes(`Appointment ${own} on `))).toHaveLength(1);
  });

  it('is marked in a webhook', async () => {
    const token = clinic.careProviderToken;
    const path = '/gateway/profile/caregiver/reminder-preference';
    expect((await app.call('PUT', path, { token, body: { channels: ['WEBHOOK'] } })).status).toBe(200);
    const id = await book({ date: '2027/01/04' });
    await erase();
    await app.deliverDueReminders();
    const [call] = webhook.calls;
    const { data } = JSON.parse(call!.body) as { data: { items: object[]; text: string } };
    const startsAt = '2027-01-04T09:30:00.000Z';
    expect(data.items).toEqual([
      expect.objectContaining({ sessionId: id, startsAt, kind: 'SESSION', cancelled: true }),
    ]);
    expect(data.text).toContain(`Appointment ${id} on `);
  });
});

describe('the outbox', () => {
  it('shows the notice with its rule, and the message', async () => {
    await changeCareProvider(clinic.careProviderIds[0], { locale: 'en', timeZone: 'Europe/London' });
    const sessionId = await book({ date: '2027/01/04' });
    await erase();
    const [notice] = await listNotices();
    const { body } = await asClinic('GET', `/reminder/${notice!.id}?include=client,careProvider,books,progress`);
    expect(body).toMatchObject({ sessionId, kind: 'SESSION', recipientKind: 'CARE_PROVIDER', status: 'PENDING' });
    // Nothing is left of the Session and the Client.
    const [id] = clinic.careProviderIds;
    expect(body.careProvider).toEqual({ id, name: createCanary('Name') });
    for (const member of ['client', 'books', 'progress']) expect(body).not.toHaveProperty(member);
    expect(body.history[0]).toMatchObject({
      ...{ what: 'PLANNED', rule: 'sessionErased 2027-01-04T09:30:00.000Z', anchor: 'the erasure of the Client' },
    });
    const message = await asClinic('GET', `/reminder/${notice!.id}/message`);
    expect(message.body).toMatchObject({ reminderIds: [notice!.id], late: false });
    expect(message.body.channels[0].body).toContain(`Appointment ${sessionId} on Monday, 4 January 2027, 09:30`);
    const path = '/gateway/profile/caregiver/reminder?include=client,careProvider';
    const own = await app.call('GET', path, { token: clinic.careProviderToken });
    expect(own.body.items).toEqual([expect.objectContaining({ id: notice!.id, careProvider: body.careProvider })]);
    expect(own.body.items[0]).not.toHaveProperty('client');
  });

  it('finds notices by their Sessions, like reminders, for the Clinic and the Care Provider', async () => {
    const erased = [await book({ date: '2027/01/04' }), await book({ date: '2027/01/05' })];
    const kept = await book({ date: '2027/01/07', clientId: clinic.clientIds[1], remindDays: 3 });
    await erase();
    const find = async (token: string, role: string, query: string) => {
      const path = `/gateway/profile/${role}/reminder?sort=dueAt&count=exact&${query}`;
      const { status, body } = await app.call('GET', path, { token });
      expect([status, body.count]).toEqual([200, { value: body.items.length, isExact: true }]);
      return (body.items as Notice[]).map(({ sessionId, recipientKind }) => `${sessionId} ${recipientKind}`).toSorted();
    };
    const notice = (id: number) => `${id} CARE_PROVIDER`;
    for (const [token, role] of [
      [clinic.clinicToken, 'clinic'],
      [clinic.careProviderToken, 'caregiver'],
    ] as const) {
      for (const id of erased) expect(await find(token, role, `sessionId=${id}`)).toEqual([notice(id)]);
      const all = [...erased.map(notice), `${kept} CARE_PROVIDER`, `${kept} CLIENT`].toSorted();
      expect(await find(token, role, `sessionId=${[...erased, kept].join()}`)).toEqual(all);
      const narrowed = `sessionId=${erased[0]}&status=PENDING&kind=SESSION&recipientKind=CARE_PROVIDER`;
      expect(await find(token, role, narrowed)).toEqual([notice(erased[0]!)]);
      expect(await find(token, role, `sessionId=${erased[0]}&status=SENT`)).toEqual([]);
      expect(await find(token, role, `sessionId=${kept}&kind=HOMEWORK`)).toEqual([]);
    }
    const other = await app.createClinic();
    expect(await find(other.clinicToken, 'clinic', `sessionId=${erased.join()}`)).toEqual([]);
  });

  it('has the notice and its recipient in one entry of the audit trail', async () => {
    const sessionId = await book({ date: '2027/01/04' });
    await erase();
    const [notice] = await listNotices();
    const { body } = await asClinic('GET', `/audit?record=reminder/${notice!.id}`);
    const entries = body.items.filter(({ operation }: { operation: string }) => operation === 'system erasure');
    expect(entries).toHaveLength(1);
    const careProvider = `care-provider/${clinic.careProviderIds[0]}`;
    const named = [`reminder/${notice!.id}`, careProvider, `session/${sessionId}`, `client/${clinic.clientIds[0]}`];
    expect(entries[0].records).toEqual(expect.arrayContaining(named));
  });
});

it('a Client without upcoming Sessions, and the erasure of a Care Provider, cause no notice', async () => {
  await book({ date: '2026/11/20' });
  await book({ date: '2027/01/04' });
  await asClinic('DELETE', `/client/${clinic.clientIds[0]}`);
  await erase();
  expect(await listNotices()).toEqual([]);
  await book({ date: '2027/01/04', clientId: clinic.clientIds[1] });
  const path = `/care-provider/${clinic.careProviderIds[0]}/erasure`;
  const { id } = (await asClinic('POST', path, { reason: 'SUBJECT_REQUEST' })).body;
  app.clock.advance({ hours: 1 });
  await asClinic('POST', `${path}/${id}/confirmation`);
  expect((await listNotices()).filter(({ status }) => status === 'PENDING')).toEqual([]);
});

it('a notice is erased with its recipient, and removed when the retention of reminders ends', async () => {
  await changeCareProvider(clinic.careProviderIds[0], {});
  await book({ date: '2027/01/04' });
  await erase();
  await asClinic('PUT', '/retention', { reminders: 'P1Y' });
  app.clock.set('2028-11-22T12:00:00Z');
  await app.nest.get(RetentionRun).removeExpired();
  // A notice that can still be sent is kept.
  expect(await listNotices()).toHaveLength(1);
  app.clock.set('2026-11-21T12:00:00Z');
  await app.deliverDueReminders();
  expect((await listNotices())[0]).toMatchObject({ status: 'SENT' });
  app.clock.set('2028-11-22T12:00:00Z');
  // A notice that was sent long after it was due is kept from then on.
  const setSettledAt = (at: string) =>
    app.queryRows(sql`update reminder set settled_at = ${at}::timestamptz where clinic_id = ${clinic.clinicId}`);
  await setSettledAt('2027-11-22T12:00:01Z');
  await app.nest.get(RetentionRun).removeExpired();
  expect(await listNotices()).toHaveLength(1);
  await setSettledAt('2026-11-21T12:00:00Z');
  const dryRun = await asClinic('PUT', '/retention?dryRun=true', { reminders: 'P1Y' });
  expect(dryRun.body.reminders).toMatchObject({ removable: 1, isLowerBound: false });
  await app.nest.get(RetentionRun).removeExpired();
  expect(await listNotices()).toEqual([]);
  const [row] = await app.queryRows(sql<{ count: number }>`
    select count(*)::int as count from reminder where clinic_id = ${clinic.clinicId}`);
  expect(row!.count).toBe(0);
});
