import PostalMime from 'postal-mime';
import {
  findCanaries,
  createCanary,
  CanaryClinic,
  CARE_PROVIDER_PATH,
  CLINIC_PATH,
} from '../support/contract/canary-clinic.js';
import { findColumnsWithout, NEUTRAL } from '../support/contract/text-columns.js';
import { waitFor } from '../support/app/test-app.js';

/*
 * Tests that personal data does not appear where other people can read it: the log at its most detailed level, metrics,
 * traces, URLs, the queue, and messages. Every field with personal data contains a unique text, a canary, and all these
 * places are searched for canaries.
 */

let clinic: CanaryClinic;
afterEach(() => clinic.stop());

const call: CanaryClinic['call'] = (...parts) => clinic.call(...parts);
const done: CanaryClinic['callOrThrow'] = (...parts) => clinic.callOrThrow(...parts);
const log = () => [...clinic.instance.logLines, clinic.instance.stderr].join('\n');
const settled = () =>
  waitFor(async () => {
    const { rows } = await clinic.sql.query(
      `select from reminder where status = 'QUEUED' or send_at <= now() and status = 'PENDING'`,
    );
    return rows.length === 0;
  });

/** Returns all rows of the queue's tables as text. */
async function queue(): Promise<string> {
  const { rows: tables } = await clinic.sql.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'pgboss'`,
  );
  const texts = tables.map(async ({ name }) => {
    const { rows } = await clinic.sql.query<{ text: string }>(`select t::text as text from ${name} t`);
    return rows.map(({ text }) => text);
  });
  return (await Promise.all(texts)).flat().join('\n');
}

/** Returns the e-mails as a receiver sees them, with every part decoded, but without the recipients. */
const mails = () =>
  Promise.all(
    clinic.smtp.mails.map(async ({ raw }) => {
      const { headers, subject, from, text, html, attachments } = await PostalMime.parse(raw, {
        attachmentEncoding: 'utf8',
      });
      return { ...{ subject, from, text, html, attachments }, headers: headers.filter(({ key }) => key !== 'to') };
    }),
  );
const webhooks = () => clinic.webhook.calls.map(({ url, headers, body }) => ({ url, headers, body }));

/** Returns the URLs in the responses of the service, and their decoded content. */
function urls(): unknown[] {
  const cursors = clinic.responses.map(({ body }) => body?.nextCursor ?? '');
  const decoded = cursors.map((cursor: string) => Buffer.from(cursor, 'base64url').toString());
  return [clinic.responses.map(({ headers, body }) => [headers, body?.url, body?.instance]), decoded];
}

async function expectSilence(): Promise<void> {
  const metrics = await (await fetch(`${clinic.instance.url}/metrics`)).text();
  const found = {
    log: findCanaries(await clinic.instance.readLog()),
    metrics: findCanaries(metrics),
    queue: findCanaries(await queue()),
    urls: findCanaries(urls()),
    traces: findCanaries(clinic.receiver.text),
  };
  expect(found).toEqual({ log: [], metrics: [], queue: [], urls: [], traces: [] });
  expect(clinic.receiver.spans.length).toBeGreaterThan(20);
}

/** Sends typical requests that write and read personal data, including a cancellation with a note. */
async function work(): Promise<void> {
  const { careProvider } = clinic;
  await clinic.createSession();
  await clinic.applyPlan('2030/06/03');
  // A reminder whose Session moves while its message is being sent waits for a minute.
  await settled();
  const { body } = await done(careProvider, 'GET', `${CARE_PROVIDER_PATH}/session?limit=1`);
  const path = `${CARE_PROVIDER_PATH}/session/${body.items[0].id}`;
  await done(
    careProvider,
    'PATCH',
    path,
    { title: createCanary('SessionTitle'), date: '2030/03/02' },
    { 'if-match': '"1"' },
  );
  for (const collection of ['client', 'care-provider', 'book', 'session', 'reminder', 'design-plan'])
    await done(clinic.clinic, 'GET', `${CLINIC_PATH}/${collection}?limit=1`);
  // A search by name has its text in the URL, and its cursor stands for a name.
  for (const collection of ['client', 'care-provider'])
    await done(clinic.clinic, 'GET', `${CLINIC_PATH}/${collection}?name=${createCanary('')}&sort=name&limit=1`);
  await call(
    clinic.clinic,
    'GET',
    `${CLINIC_PATH}/client?name=${createCanary('Searched')}&sort=${createCanary('Sort')}`,
  );
  await done(careProvider, 'POST', `${CARE_PROVIDER_PATH}/calendar-link`, { titles: 'FULL' });
  await settled();
  await done(careProvider, 'POST', `${path}/cancel`, { reason: 'ILLNESS', note: createCanary('CancelNote') });
}

/** Sends requests with canaries that the service refuses. */
async function refusals(): Promise<number[]> {
  const session = `${CARE_PROVIDER_PATH}/session`;
  const people = {
    name: createCanary('ImportName'),
    email: createCanary('NotAnEmail'),
    externalId: createCanary('ImportExternalId'),
  };
  const answers = [
    await call(clinic.careProvider, 'POST', session, `{"title": "${createCanary('Broken')}`),
    await call(clinic.careProvider, 'POST', session, { ...clinic.session, title: { text: createCanary('Title') } }),
    await call(clinic.careProvider, 'POST', session, { ...clinic.session, clientId: 999_999 }),
    await call(clinic.careProvider, 'POST', session, { ...clinic.session, date: createCanary('Date') }),
    await call(clinic.careProvider, 'POST', session, clinic.session, {
      'content-type': `text/${createCanary('Type')}`,
    }),
    await call(clinic.client, 'POST', session, clinic.session),
    await call(clinic.clinic, 'POST', `${CLINIC_PATH}/client`, people),
    await call(clinic.clinic, 'GET', `${CLINIC_PATH}/${createCanary('Path')}`),
    await call(clinic.clinic, 'PUT', `${CLINIC_PATH}/client/external/${createCanary('PathExternalId')}`, { name: 5 }),
    await call(
      clinic.clinic,
      'POST',
      `${CLINIC_PATH}/client/import`,
      `${JSON.stringify(people)}\n{${createCanary('Line')}\n`,
      {
        'content-type': 'application/x-ndjson',
      },
    ),
  ];
  return answers.map(({ status }) => status);
}

/** Causes database errors, which contain the whole row. The title looks like a stack frame. */
async function databaseErrors(): Promise<number[]> {
  const title = `${createCanary('RefusedTitle')}\n    at ${createCanary('Frame')} (file:///${createCanary('File')}.js:1:1)`;
  const body = { ...clinic.session, title, date: '2031/03/01' };
  await clinic.sql.query(`alter table session add constraint refused check (title not like '%RefusedTitle%')`);
  const checked = await call(clinic.careProvider, 'POST', `${CARE_PROVIDER_PATH}/session`, body);
  await clinic.sql.query('alter table session rename to away');
  const missing = await call(clinic.careProvider, 'POST', `${CARE_PROVIDER_PATH}/session`, body);
  const searched = await call(clinic.clinic, 'GET', `${CLINIC_PATH}/session?from=2030-01-01T00:00:00Z`);
  await clinic.sql.query('alter table away rename to session');
  return [checked.status, missing.status, searched.status];
}

/** Makes the database fail while outcomes of reminders are written. Its error names the Client. */
async function failingDelivery(): Promise<void> {
  // The write for a message that was sent is retried.
  await refuseUpdates('P0001', `new.status = 'SENT'`);
  await clinic.createSession({ date: '2032/03/01' });
  await waitFor(() => log().includes('reminder.unwritten'));
  await expectSilence();
  await clinic.sql.query('drop function refuse() cascade');
  await settled();
  // A value that cannot be written makes the job fail, and the queue stores the reason.
  await clinic.smtp.setMode({ kind: 'refuse', code: 451, at: 'RCPT' });
  await refuseUpdates('22023', `old.status = 'QUEUED' and new.status = 'PENDING'`);
  await clinic.createSession({ date: '2032/04/05' });
  const failed = `
    select from pgboss.job join reminder on message_id::text = data->>'messageId'
    where recipient_kind = 'CLIENT' and reminder.status = 'QUEUED' and job.state in ('retry', 'failed')`;
  await waitFor(async () => (await clinic.sql.query(failed)).rows.length > 0);
  await expectSilence();
  await clinic.sql.query('drop function refuse() cascade');
  await clinic.smtp.setMode({ kind: 'ok' });
  await settled();
}

async function refuseUpdates(code: string, condition: string): Promise<void> {
  await clinic.sql.query(`
    create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'refused for %', (select name || email from client where id = new.recipient_id) using errcode = '${code}';
    end $$;
    create trigger refuse before update on reminder for each row when (${condition}) execute function refuse()`);
}

it('every column of text holds a canary, or is known to hold no personal data (CONTRIBUTING.md, "Add a module", step 9)', async () => {
  clinic = await CanaryClinic.start();
  await work();
  expect(await findColumnsWithout(clinic.sql, createCanary(''))).toEqual(NEUTRAL);
});

it('personal data never leaks, whatever fails, and messages are discreet', async () => {
  clinic = await CanaryClinic.start();
  // The replies of the mail server contain the e-mail address.
  await clinic.smtp.setMode({ kind: 'refuse', code: 451, at: 'RCPT' });
  const working = work();
  await waitFor(() => log().includes('"reminder.failed"'));
  await clinic.smtp.setMode({ kind: 'ok' });
  await working;
  // This Session is the only one in its message, so the message has a calendar event attached.
  await clinic.createSession({ date: '2030/07/01' });
  await settled();
  expect(await refusals()).toEqual([400, 400, 422, 400, 415, 403, 400, 404, 400, 200]);
  expect(await databaseErrors()).toEqual([500, 503, 503]);
  await clinic.smtp.setMode({ kind: 'refuse', code: 550, at: 'RCPT' });
  await clinic.createSession({ date: '2030/05/01' });
  await settled();
  await clinic.smtp.setMode({ kind: 'ok' });
  await failingDelivery();

  // All messages were delivered by each channel, with each kind of failure.
  const [mailed, posted] = [await mails(), webhooks()];
  expect(new Set(clinic.smtp.mails.map(({ recipient }) => recipient))).toEqual(new Set([clinic.clientEmail]));
  expect(mailed.flatMap(({ attachments }) => attachments.map(({ mimeType }) => mimeType))).toContain('text/calendar');
  expect(posted.length).toBeGreaterThan(1);
  for (const event of ['reminder.failed', 'a batch failed', 'unexpected error', 'request'])
    await waitFor(() => log().includes(event));
  // The delivered messages contain no personal data.
  expect(findCanaries(mailed)).toEqual([]);
  expect(findCanaries(posted)).toEqual([]);
  await expectSilence();
});

it('the log channel writes no personal data, even if the Clinic allows titles in messages', async () => {
  clinic = await CanaryClinic.start(false);
  await done(clinic.clinic, 'PUT', `${CLINIC_PATH}/reminder-preference`, { revealing: true });
  await work();
  await waitFor(() => log().includes('reminder.delivered'));
  await expectSilence();
});

it('titles appear only in messages to recipients, if the Clinic allows them', async () => {
  clinic = await CanaryClinic.start();
  await done(clinic.clinic, 'PUT', `${CLINIC_PATH}/reminder-preference`, { revealing: true });
  await work();
  const titles = ['AppointmentTitle', 'BookTitle', 'SessionTitle'].map(createCanary);
  expect(titles).toEqual(expect.arrayContaining(findCanaries(await mails())));
  expect(findCanaries(await mails())).toContain(createCanary('BookTitle'));
  expect(findCanaries(await mails())).toContain(createCanary('SessionTitle'));
  expect(findCanaries(webhooks())).toContain(createCanary('SessionTitle'));
  expect(titles).toEqual(expect.arrayContaining(findCanaries(webhooks())));
  await expectSilence();
});
