import ICAL from 'ical.js';
import PostalMime, { type Email } from 'postal-mime';
import { CareProvider, Client } from '../../src/directory/index.js';
import { sql } from 'kysely';
import { Reminder, ReminderPreference } from '../../src/reminder/index.js';
import { buildAssignment, createPlan } from '../support/app/series-fixtures.js';
import { TestSmtpServer, type ReceivedMail } from '../support/reminder/smtp-server.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests reminder e-mails as a mail program reads them: headers, text and HTML, calendar attachment, and languages. */

const CAREGIVER = '/gateway/profile/caregiver';
const CLINIC = '/gateway/profile/clinic';
const RECIPIENT_ADDRESS = 'recipient@example.org';
/** This URL has a port, which the UID of a calendar event can contain, but a Message-ID cannot. */
const PUBLIC_URL = 'https://care.example.org:8443';

let app: TestApp;
let smtp: TestSmtpServer;
let clinic: ClinicFixture;
beforeAll(async () => {
  smtp = await TestSmtpServer.start();
  app = await TestApp.start({ rawVariables: smtp.variables, publicUrl: PUBLIC_URL });
});
afterAll(async () => {
  await app.stop();
  await smtp.stop();
});
beforeEach(async () => {
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
  smtp.mails.length = 0;
  await smtp.setMode({ kind: 'ok' });
  await changeClient({});
});

/** Changes the Client, who receives the e-mails. The Care Provider has no address and receives none. */
const changeClient = (change: { locale?: string; timeZone?: string; name?: string }) =>
  app.asSuperuser(async (em) => {
    const client = await em.findOneOrFail(Client, { id: clinic.clientIds[0] });
    em.assign(client, { email: RECIPIENT_ADDRESS, ...change });
  });
async function create(change: object = {}): Promise<string> {
  const body = {
    clientId: clinic.clientIds[0],
    title: 'T',
    date: '2027/01/04',
    time: '09:30',
    remindDays: 0,
    ...change,
  };
  const answer = await app.call('POST', `${CAREGIVER}/session`, { token: clinic.careProviderToken, body });
  expect(answer.status).toBe(201);
  return answer.headers.get('location')!;
}
const parseMail = (mail: ReceivedMail): Promise<Email> => PostalMime.parse(mail.raw);
/** Waits for an e-mail and parses it. */
async function receiveMail(): Promise<Email> {
  await app.deliverDueReminders();
  expect(smtp.mails.map((mail) => mail.recipient)).toEqual([RECIPIENT_ADDRESS]);
  return parseMail(smtp.mails[0]!);
}
async function createAndReceiveMail(change: object = {}): Promise<Email> {
  await create(change);
  return receiveMail();
}
const getHeader = ({ headers }: Email, name: string) =>
  headers.filter(({ key }) => key === name).map(({ value }) => value);
/** Returns the visible text of the HTML part, with one line per paragraph. */
const toVisibleText = ({ html }: Email): string =>
  html!
    .slice(html!.indexOf('<main'))
    .replaceAll(/\s*<\/?(p|main|footer|body|html)\b[^>]*>\s*/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

it('can be read by the Clinic before and after it is sent, and the text is the very same', async () => {
  await create({ sessionCount: 2, remindDays: 3 });
  const { body: page } = await app.call('GET', `${CLINIC}/reminder?recipientKind=CLIENT`, {
    token: clinic.clinicToken,
  });
  const ids = page.items.map(({ id }: { id: number }) => id);
  const preview = () => app.call('GET', `${CLINIC}/reminder/${ids[0]}/message`, { token: clinic.clinicToken });
  const before = await preview();
  const entries = await app.queryRows(sql<{ records: string[] }>`
    select to_jsonb(records) as records from audit_entry
    where clinic_id = ${clinic.clinicId} and operation = ${`GET ${CLINIC}/reminder/{id}/message`}`);
  const names = [...ids.map((id: number) => `reminder/${id}`), `client/${clinic.clientIds[0]}`];
  expect(entries).toEqual([{ records: names }]);
  expect([before.status, before.headers.get('cache-control')]).toEqual([200, 'max-age=1, no-cache, no-store']);
  // The preview stores nothing, so no preference has been created.
  expect(await app.asSuperuser((em) => em.count(ReminderPreference, { clinicId: clinic.clinicId }))).toBe(0);
  app.clock.advance({ hours: 72 });
  const { subject, text } = await receiveMail();
  const [first, ...more] = before.body.channels;
  expect([first.channel, first.subject, more]).toEqual(['EMAIL', subject, []]);
  expect(first.body.trim()).toBe(text!.trim().replace(/[\w-]{32}$/m, 'HIDDEN'));
  const recipient = { recipientKind: 'CLIENT', recipientId: clinic.clientIds[0] };
  expect(before.body).toEqual({ ...recipient, reminderIds: ids, late: false, channels: [first] });
  // Long after the delivery, the preview shows the message as it was sent rather than as it would be sent now.
  app.clock.set('2028-01-01T10:00:00Z');
  expect((await preview()).body).toEqual(before.body);
});

it('has no preview for a recipient who is deactivated, and none in e-mail without an address', async () => {
  await create({ remindDays: 3 });
  const { body: page } = await app.call('GET', `${CLINIC}/reminder`, { token: clinic.clinicToken });
  const of = (kind: string) => page.items.find((item: { recipientKind: string }) => item.recipientKind === kind).id;
  const preview = (id: number) => app.call('GET', `${CLINIC}/reminder/${id}/message`, { token: clinic.clinicToken });
  expect((await preview(of('CARE_PROVIDER'))).body.channels).toEqual([]);
  await app.asSuperuser((em) => em.nativeUpdate(Client, { id: clinic.clientIds[0] }, { active: false }));
  expect((await preview(of('CLIENT'))).body).toMatchObject({ status: 409, type: 'urn:problem:conflict' });
});

it('is retried while the address cannot be decrypted, because the key may be restored', async () => {
  await create({ remindDays: 3 });
  const { clientIds } = clinic;
  const setAddress = (email: unknown) =>
    app.queryRows(sql`update client set email = ${email} where id = ${clientIds[0]}`);
  const [{ email: stored }] = (await app.queryRows<{ email: string }>(
    sql`select email from client where id = ${clientIds[0]}`,
  )) as [{ email: string }];
  await setAddress(stored.slice(0, -4) + stored.slice(-4).split('').toReversed().join(''));
  app.clock.advance({ hours: 72 });
  await app.deliverDueReminders();
  const path = `${CAREGIVER}/reminder?recipientKind=CLIENT`;
  const readReminder = async () => {
    const { body } = await app.call('GET', path, { token: clinic.careProviderToken });
    return body.items[0];
  };
  expect(await readReminder()).toMatchObject({ status: 'PENDING' });
  const { id } = await readReminder();
  const { body } = await app.call('GET', `${CAREGIVER}/reminder/${id}`, { token: clinic.careProviderToken });
  expect(body.history.at(-1)).toMatchObject({ what: 'FAILED', attempt: 1, errorClass: 'UnreadableAddressError' });
  expect(smtp.mails).toEqual([]);

  await setAddress(stored);
  app.clock.advance({ seconds: 10 });
  await receiveMail();
  expect(await readReminder()).toMatchObject({ status: 'SENT' });
});

describe('headers', () => {
  it('have sender and recipient, mark the mail as automatic, and have no personal data', async () => {
    await changeClient({ name: 'Alex Example' });
    const mail = await createAndReceiveMail();
    expect(mail.from).toEqual({ name: 'Clinic', address: 'no-reply@care.example.org' });
    expect(mail.to).toEqual([{ name: '', address: RECIPIENT_ADDRESS }]);
    expect([mail.cc, mail.bcc, mail.replyTo]).toEqual([undefined, undefined, undefined]);
    expect(getHeader(mail, 'auto-submitted')).toEqual(['auto-generated']);
    expect(mail.subject).toBe('A reminder for you');
    expect(smtp.mails[0]!.raw).not.toMatch(/Alex|nodemailer/i);
  });

  it('have the message id of the reminders, with a domain without port', async () => {
    const { messageId } = await createAndReceiveMail();
    const listed = await app.call('GET', `${CAREGIVER}/reminder`, { token: clinic.careProviderToken });
    const { id } = listed.body.items.find((item: { recipientKind: string }) => item.recipientKind === 'CLIENT');
    const one = await app.call('GET', `${CAREGIVER}/reminder/${id}`, { token: clinic.careProviderToken });
    // An operator can find the e-mail in the log of a mail server by its Message-ID.
    const [queued, sent] = one.body.history.slice(-2);
    expect(sent).toMatchObject({ what: 'SENT', channel: 'EMAIL', providerId: messageId });
    expect(messageId).toBe(`<${queued.messageId}@care.example.org>`);
  });

  it('offer one-click unsubscription of RFC 8058 without authentication', async () => {
    const mail = await createAndReceiveMail();
    const [uri] = getHeader(mail, 'list-unsubscribe');
    expect(uri).toMatch(/^<https:\/\/care\.example\.org:8443\/reminder\/opt-out\/session\/[\w-]{32}>$/);
    expect(getHeader(mail, 'list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click']);

    const { pathname } = new URL(uri!.slice(1, -1));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await app.call('POST', pathname, { raw: 'List-Unsubscribe=One-Click', headers })).status).toBe(200);
    const own = { ownerKind: 'CLIENT', ownerId: clinic.clientIds[0] } as const;
    const preference = await app.asSuperuser((em) => em.findOneOrFail(ReminderPreference, own));
    expect(preference.optedOut).toEqual(['SESSION']);
  });

  it('and the body are the same in a repeated mail after a lost reply', async () => {
    await smtp.setMode({ kind: 'dropAfterData' });
    await create();
    const delivered = app.deliverDueReminders();
    await waitFor(() => smtp.mails.length === 1);
    await smtp.setMode({ kind: 'ok' });
    await delivered;
    app.clock.advance({ seconds: 5 });
    await app.deliverDueReminders();
    const [first, second] = await Promise.all(smtp.mails.map(parseMail));
    expect(smtp.mails).toHaveLength(2);
    expect(first!.messageId).toMatch(/^<[\da-f-]{36}@care\.example\.org>$/);
    const lasting = ({ headers, text, html, attachments }: Email) => ({
      // The comparison omits the date and the boundary of the parts, which differ in each e-mail.
      headers: headers.filter(({ key }) => key !== 'date' && key !== 'content-type'),
      ...{ text, html, attachments },
    });
    expect(lasting(second!)).toEqual(lasting(first!));
  });
});

describe('text and HTML', () => {
  it('have the same content and the opt-out link', async () => {
    const mail = await createAndReceiveMail({ sessionCount: 2 });
    const [uri] = getHeader(mail, 'list-unsubscribe');
    const lines = [
      'Hello,',
      'You have an appointment on Monday, 4 January 2027, 09:30.',
      'You have an appointment on Monday, 11 January 2027, 09:30.',
      'Times are those of Europe/London.',
    ];
    const [question, link] = ['You do not want these reminders any more?', uri!.slice(1, -1)];
    expect(mail.text!.trimEnd()).toBe(`${lines.join('\n\n')}\n\n${question}\n${link}`);
    expect(toVisibleText(mail)).toBe([...lines, `${question} End these reminders`].join('\n'));
  });

  it('are parts of multipart/alternative', async () => {
    await createAndReceiveMail();
    const [, type] = /^Content-Type: (multipart\/\w+)/m.exec(smtp.mails[0]!.raw)!;
    expect(type).toBe('multipart/mixed');
    expect(smtp.mails[0]!.raw).toMatch(/multipart\/alternative[^]*text\/plain[^]*text\/html/);
  });

  it('load no external content; the only link is the opt-out link', async () => {
    const { html } = await createAndReceiveMail();
    expect(html).not.toMatch(/<(img|script|link|iframe|object|video|audio|form)\b|\bsrc=|url\(|@import/i);
    const links = [...html!.matchAll(/href="([^"]*)"/g)].map(([, url]) => url);
    expect(links).toHaveLength(1);
    expect(html).toContain('>End these reminders</a>');
    expect(links[0]).toMatch(/\/reminder\/opt-out\/session\//);
  });

  it('escape a title that contains HTML, if the Clinic allows titles', async () => {
    const path = '/gateway/profile/clinic/reminder-preference';
    expect((await app.call('PUT', path, { token: clinic.clinicToken, body: { revealing: true } })).status).toBe(200);
    const title = `<b>Rest</b> & "sleep" {zone}, d'accord`;
    const mail = await createAndReceiveMail({ title });
    const line = `${title}: Monday, 4 January 2027, 09:30.`;
    expect(mail.text).toContain(line);
    expect(toVisibleText(mail)).toContain(line);
    expect(mail.html).not.toContain('<b>');
  });
});

describe('a Session that was moved after a reminder of it', () => {
  const receiveAt = async (instant: string) => {
    smtp.mails.length = 0;
    app.clock.set(instant);
    return (await receiveMail()).text;
  };
  const move = (id: number, body: object) =>
    app.call('PATCH', `${CAREGIVER}/session/${id}`, {
      token: clinic.careProviderToken,
      headers: { 'if-match': `"1"` },
      body,
    });
  const list = async (path: string) => (await app.call('GET', path, { token: clinic.clinicToken })).body.items;

  it.each([
    [false, 'You have an appointment on', 'Your appointment has a new time:'],
    [true, 'T:', 'T, new time:'],
  ])('has a new time in the next message, and not in later ones (titles: %s)', async (revealing, usual, moved) => {
    const preference = '/gateway/profile/clinic/reminder-preference';
    await app.call('PUT', preference, { token: clinic.clinicToken, body: { revealing } });
    await create({ remindDays: undefined, reminders: ['-P7D', '-P1D', '-PT2H'] });
    const [{ id }] = await list(`${CLINIC}/session`);
    expect(await receiveAt('2026-12-28T09:30:00Z')).toContain(`${usual} Monday, 4 January 2027, 09:30.`);
    expect((await move(id, { time: '15:00' })).status).toBe(200);
    expect(await receiveAt('2027-01-03T15:00:00Z')).toContain(`${moved} Monday, 4 January 2027, 15:00.`);
    expect(await receiveAt('2027-01-04T13:00:00Z')).toContain(`${usual} Monday, 4 January 2027, 15:00.`);
  });

  it.each([
    ['-P7D', '2026-12-28T09:30:00Z', '2027/01/02'],
    ['P1D', '2027-01-05T09:30:00Z', '2027/01/03'],
  ])('does not change what the Clinic reads as the message sent at %s', async (rule, sentAt, date) => {
    await create({ remindDays: undefined, reminders: [rule] });
    const [{ id }] = await list(`${CLINIC}/session`);
    const sent = await receiveAt(sentAt);
    expect((await move(id, { date })).status).toBe(200);
    const [reminder] = await list(`${CLINIC}/reminder?status=SENT&recipientKind=CLIENT`);
    const path = `${CLINIC}/reminder/${reminder.id}/message`;
    const { body } = await app.call('GET', path, { token: clinic.clinicToken });
    expect(body.channels[0].body.trim()).toBe(sent!.trim().replace(/[\w-]{32}$/m, 'HIDDEN'));
  });

  it('says that Sessions at the same time are several', async () => {
    await create();
    await create({ title: 'U' });
    expect((await receiveMail()).text).toContain(
      'You have an appointment on Monday, 4 January 2027, 09:30. There are 2 appointments at this time.',
    );
  });
});

describe('calendar attachment', () => {
  const partsOf = ({ attachments }: Email) =>
    attachments.map(({ mimeType, filename, disposition }) => [mimeType, filename, disposition]);
  /** Returns the attachment from the raw e-mail, because the mail parser changes its line endings. */
  function sentCalendar(): string {
    const [, encoded] = /text\/calendar[^]*?\r\n\r\n([\w+/=\r\n]+)/.exec(smtp.mails[0]!.raw)!;
    return Buffer.from(encoded!, 'base64').toString();
  }
  function attachedEvent() {
    const root = new ICAL.Component(ICAL.parse(sentCalendar()));
    const [event, ...others] = root.getAllSubcomponents('vevent');
    expect(others).toEqual([]);
    const value = (name: string) => String(event!.getFirstPropertyValue(name));
    return { root, value, names: event!.getAllProperties().map(({ name }) => name) };
  }

  it('can be read by an independent parser', async () => {
    const mail = await createAndReceiveMail({ description: 'secret' });
    expect(partsOf(mail)).toEqual([['text/calendar', 'appointment.ics', 'attachment']]);
    const { root, value, names } = attachedEvent();
    expect(sentCalendar()).toMatch(/\r\nEND:VCALENDAR\r\n$/);
    expect(root.getFirstPropertyValue('method')).toBe('PUBLISH');
    expect([value('dtstart'), value('dtend')]).toEqual(['2027-01-04T09:30:00Z', '2027-01-04T10:20:00Z']);
    expect([value('summary'), value('class'), value('sequence')]).toEqual(['Appointment', 'PRIVATE', '0']);
    // The event has the time of the Session, but no title, names or place.
    expect(names.toSorted()).toEqual(['class', 'dtend', 'dtstamp', 'dtstart', 'sequence', 'summary', 'uid']);
  });

  it.each([
    ['de-AT', 'Termin'],
    ['es', 'Cita'],
    ['fr', 'Rendez-vous'],
    ['pt-BR', 'Appointment'],
  ])('has a neutral title in the language of the message (%s)', async (locale, title) => {
    await changeClient({ locale });
    await createAndReceiveMail();
    expect(attachedEvent().value('summary')).toBe(title);
  });

  it('has the same UID as in the calendar feed, and changes with the Session', async () => {
    const list = await create({ remindDays: undefined, reminders: ['-PT2H'] });
    const [session] = (await app.call('GET', list, { token: clinic.careProviderToken })).body.items;
    const moved = await app.call('PATCH', `${CAREGIVER}/session/${session.id}`, {
      token: clinic.careProviderToken,
      headers: { 'if-match': `"1"` },
      body: { date: '2027/01/05' },
    });
    expect(moved.status).toBe(200);
    const clientToken = await app.createToken('CLIENT', clinic.clientIds[0]);
    app.clock.set('2027-01-05T07:30:00Z');
    const link = await app.call('POST', '/gateway/profile/client/calendar-link', { token: clientToken, body: {} });
    const feed = await app.call('GET', new URL(link.body.url as string).pathname);
    await receiveMail();
    const { value } = attachedEvent();
    const followed = new ICAL.Component(ICAL.parse(feed.text)).getFirstSubcomponent('vevent')!;
    expect(value('uid')).toBe(`session-${session.id}@care.example.org:8443`);
    expect(value('uid')).toBe(followed.getFirstPropertyValue('uid'));
    expect(Number(value('sequence'))).toBeGreaterThan(0);
    expect(value('sequence')).toBe(String(followed.getFirstPropertyValue('sequence')));
    expect(value('dtstart')).toBe('2027-01-05T09:30:00Z');
  });

  it('is part of a mail with several reminders of one Session', async () => {
    const mail = await createAndReceiveMail({ date: '2026/11/22', reminders: ['-P1D'], time: '10:00' });
    expect(mail.text!.match(/You have an appointment/g)).toHaveLength(1);
    expect(partsOf(mail)).toHaveLength(1);
    expect(attachedEvent().value('dtstart')).toBe('2026-11-22T10:00:00Z');
  });

  it('is missing in a mail about several Sessions', async () => {
    expect(partsOf(await createAndReceiveMail({ sessionCount: 2 }))).toEqual([]);
  });

  it('is missing in a mail about homework', async () => {
    const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [2, '20:00'])] }];
    const plan = await createPlan(app, clinic, { weeks });
    const body = { clientId: clinic.clientIds[0], date: '2027/01/04', time: '09:30' };
    const token = clinic.careProviderToken;
    expect((await app.call('POST', `${CAREGIVER}/design-plan/${plan}/apply`, { token, body })).status).toBe(201);
    app.clock.set('2027-01-05T20:00:00Z');
    const mail = await receiveMail();
    expect(partsOf(mail)).toEqual([]);
    expect(mail.text).toContain('This is your reminder of what you wanted to do before your next appointment.');
    expect(mail.text).not.toContain('Times are those');
    expect(getHeader(mail, 'list-unsubscribe')[0]).toContain('/reminder/opt-out/homework/');
  });
});

describe('a server that refuses all recipients temporarily', () => {
  const RECIPIENTS = 24;
  const statuses = async () => {
    const own = { clinicId: clinic.clinicId, recipientKind: 'CLIENT' } as const;
    const rows = await app.asSuperuser((em) => em.find(Reminder, own));
    return Object.fromEntries([...Map.groupBy(rows, (row) => row.status)].map(([status, of]) => [status, of.length]));
  };
  const passTime = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      app.clock.advance({ minutes: 1 });
      await app.deliverDueReminders();
    }
  };

  it('causes no dead letter in 45 minutes and gets few attempts; all mails are sent afterwards', async () => {
    await app.queryRows(sql`
      with person as (
        insert into client (clinic_id, name, email, active, created_at)
          select ${clinic.clinicId}, 'K', 'k' || n || '@example.org', true, now()
          from generate_series(1, ${RECIPIENTS}::int) n returning id
      )
      insert into client_assignment (clinic_id, client_id, care_provider_id, assigned_at)
        select ${clinic.clinicId}, id, ${clinic.careProviderIds[0]}, now() from person`);
    const clients = await app.asSuperuser((em) => em.find(Client, { clinicId: clinic.clinicId, name: 'K' }));
    await smtp.setMode({ kind: 'refuse', code: 451, at: 'RCPT' });
    const attempts = smtp.recipientCommands;
    for (const [index, { id }] of clients.entries())
      await create({ clientId: id, date: `2027/01/${String(index + 4).padStart(2, '0')}` });
    await app.deliverDueReminders();
    // After five refusals, no further recipients are tried while the circuit is open, except those on the ten
    // connections.
    expect(smtp.recipientCommands - attempts).toBeLessThan(5 + 10);
    await passTime(45);
    expect(await statuses()).toEqual({ PENDING: RECIPIENTS });
    await smtp.setMode({ kind: 'ok' });
    await waitFor(async () => {
      await passTime(1);
      return (await statuses())['SENT'] === RECIPIENTS;
    });
    expect(new Set(smtp.mails.map(({ recipient: to }) => to)).size).toBe(RECIPIENTS);
    expect(smtp.mails).toHaveLength(RECIPIENTS);
  });
});

describe('language and time zone of the recipient', () => {
  const [EN, DE] = ['A reminder for you', 'Eine Erinnerung für Sie'];
  it.each<[locale: string | undefined, language: string, subject: string, line: string]>([
    [undefined, 'en', EN, 'You have an appointment on Monday, 4 January 2027, 09:30.'],
    ['en', 'en', EN, 'You have an appointment on Monday, 4 January 2027, 09:30.'],
    ['en-US', 'en', EN, 'You have an appointment on Monday, January 4, 2027 at 9:30 AM.'],
    ['en-GB', 'en', EN, 'You have an appointment on Monday, 4 January 2027 at 09:30.'],
    ['de', 'de', DE, 'Sie haben einen Termin am Montag, 4. Januar 2027 um 09:30.'],
    // The text is in the language of the locale, and dates have the format of its region.
    ['de-AT', 'de', DE, 'Sie haben einen Termin am Montag, 4. Jänner 2027 um 09:30.'],
    ['DE-at', 'de', DE, 'Sie haben einen Termin am Montag, 4. Jänner 2027 um 09:30.'],
    ['es', 'es', 'Un recordatorio para usted', 'Tiene una cita el lunes, 4 de enero de 2027, 9:30.'],
    ['es-MX', 'es', 'Un recordatorio para usted', 'Tiene una cita el lunes, 4 de enero de 2027, 9:30 a.m.'],
    ['fr', 'fr', 'Un rappel pour vous', 'Vous avez un rendez-vous le lundi 4 janvier 2027 à 09:30.'],
    ['fr-CA', 'fr', 'Un rappel pour vous', 'Vous avez un rendez-vous le lundi 4 janvier 2027 à 09 h 30.'],
    // The other words of a message do not explain another calendar or other digits.
    ['de-u-ca-islamic', 'de', DE, 'Sie haben einen Termin am Montag, 4. Januar 2027 um 09:30.'],
    ['es-u-nu-arab', 'es', 'Un recordatorio para usted', 'Tiene una cita el lunes, 4 de enero de 2027, 9:30.'],
    // For languages without a translation, text and dates are in English.
    ['pt-BR', 'en', EN, 'You have an appointment on Monday, 4 January 2027, 09:30.'],
    ['zh-Hant-TW', 'en', EN, 'You have an appointment on Monday, 4 January 2027, 09:30.'],
  ])('%s', async (locale, language, subject, line) => {
    if (locale !== undefined) await changeClient({ locale });
    const mail = await createAndReceiveMail();
    expect(mail.html).toContain(`<html lang="${language}">`);
    expect(mail.subject).toBe(subject);
    expect([mail.text, toVisibleText(mail)]).toEqual([expect.stringContaining(line), expect.stringContaining(line)]);
  });

  it.each([
    ['America/New_York', 'Monday, 4 January 2027, 04:30'],
    // These time zones are on different sides of the date line, so the same Session is on different days.
    ['Pacific/Kiritimati', 'Monday, 4 January 2027, 23:30'],
    ['Pacific/Pago_Pago', 'Sunday, 3 January 2027, 22:30'],
  ])('%s', async (timeZone, when) => {
    await changeClient({ timeZone });
    const { text } = await createAndReceiveMail();
    expect(text).toContain(`You have an appointment on ${when}.`);
    expect(text).toContain(`Times are those of ${timeZone}.`);
  });

  it("uses the Clinic's locale for a recipient without one", async () => {
    const body = { locale: 'de-AT' };
    const path = `/gateway/admin/clinic/${clinic.clinicId}`;
    const answer = await app.call('PATCH', path, { token: await app.createToken('ADMIN'), body });
    expect([answer.status, answer.body.locale]).toEqual([200, 'de-AT']);
    expect((await createAndReceiveMail()).text).toContain('Sie haben einen Termin am Montag, 4. Jänner 2027 um 09:30.');
  });

  it('uses the settings of each of the two recipients of one Session', async () => {
    await changeClient({ locale: 'fr', timeZone: 'Europe/Paris' });
    await app.asSuperuser(async (em) => {
      const careProvider = await em.findOneOrFail(CareProvider, { id: clinic.careProviderIds[0] });
      em.assign(careProvider, { email: 'care@example.org', locale: 'de' });
    });
    await create();
    await app.deliverDueReminders();
    const mails = new Map(smtp.mails.map((mail) => [mail.recipient, mail]));
    expect([...mails.keys()].toSorted()).toEqual(['care@example.org', RECIPIENT_ADDRESS]);
    expect((await parseMail(mails.get(RECIPIENT_ADDRESS)!)).text).toContain('à 10:30');
    expect((await parseMail(mails.get('care@example.org')!)).text).toContain('um 09:30');
  });
});
