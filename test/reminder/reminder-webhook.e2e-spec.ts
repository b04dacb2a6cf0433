import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Reminder, ReminderDispatcher } from '../../src/reminder/index.js';
import { findSampleValue, scrapeMetrics } from '../support/operations/metrics.js';
import { WebhookReceiver, type ReceivedWebhook } from '../support/reminder/webhook-receiver.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests reminders by webhook: the body, the signature, and the effect of the response. */

const PATH = '/gateway/profile/caregiver/session';

let app: TestApp;
let webhook: WebhookReceiver;
let clinic: ClinicFixture;
let secret: string;
const previousSecret = `whsec_${randomBytes(24).toString('base64')}`;
/** The responses of the receiver, in order. The last one is repeated. */
let answers: { status: number; headers?: Record<string, string> }[];

beforeAll(async () => {
  webhook = await WebhookReceiver.start((response, { headers }) => {
    const attempt = webhook.calls.filter((call) => call.headers['webhook-id'] === headers['webhook-id']).length;
    const { status, headers: own = {} } = answers[attempt - 1] ?? answers.at(-1)!;
    response.writeHead(status, own);
  });
  secret = webhook.variables.REMINDER_WEBHOOK_SECRET;
  app = await TestApp.start({
    rawVariables: { ...webhook.variables, REMINDER_WEBHOOK_PREVIOUS_SECRET: previousSecret },
  });
});
afterAll(async () => {
  await app.stop();
  webhook.stop();
});
beforeEach(async () => {
  answers = [{ status: 204 }];
  webhook.calls.length = 0;
  // Receivers refuse messages that are older than five minutes.
  app.clock.set(new Date().toISOString());
  clinic = await app.createClinic();
});

async function create(change: object = {}): Promise<void> {
  const body = {
    clientId: clinic.clientIds[0],
    title: 'T',
    date: '2100/03/01',
    time: '09:30',
    remindDays: 0,
    ...change,
  };
  expect((await app.call('POST', PATH, { token: clinic.careProviderToken, body })).status).toBe(201);
}
const findReminders = () =>
  app.asSuperuser((em) => em.find(Reminder, { clinicId: clinic.clinicId }, { orderBy: { id: 'asc' } }));
/** The deferrals of reminders by a busy channel, as the metrics have them. */
const countBusy = async (channel: string) =>
  findSampleValue(await scrapeMetrics(app), 'scheduling_reminder_outcomes_total', {
    ...{ outcome: 'deferred', channel, reason: 'CHANNEL_BUSY' },
  })!;
const getHeaders = ({ headers }: ReceivedWebhook) => headers as Record<string, string>;
/** Computes the signatures with both secrets as defined by Standard Webhooks. */
function computeSignatures({ headers, body }: ReceivedWebhook): string {
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
  const sign = (key: Buffer) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return [secret, previousSecret].map((one) => sign(Buffer.from(one.replace('whsec_', ''), 'base64'))).join(' ');
}
const parseData = ({ body }: ReceivedWebhook) => (JSON.parse(body) as { data: { recipient: { kind: string } } }).data;

it('contains the reminder, the recipient and the times, with ids only', async () => {
  await create({ sessionCount: 2 });
  await app.deliverDueReminders();
  expect(webhook.calls).toHaveLength(2);
  const forClient = webhook.calls.find((call) => parseData(call).recipient.kind === 'CLIENT')!;
  const [first, , second] = await findReminders();
  const now = app.clock.now().toString({ fractionalSecondDigits: 3 });
  const item = (reminder: Reminder, startsAt: string) => ({
    ...{ reminderId: reminder.id, kind: 'SESSION', sessionId: reminder.sessionId, dueAt: now, startsAt },
  });
  expect(forClient).toMatchObject({ url: '/reminders', headers: { 'content-type': 'application/json' } });
  expect(JSON.parse(forClient.body)).toEqual({
    type: 'reminder.due',
    timestamp: now,
    data: {
      messageId: forClient.headers['webhook-id'],
      clinicId: clinic.clinicId,
      recipient: { kind: 'CLIENT', id: clinic.clientIds[0], timeZone: 'Europe/London' },
      late: false,
      subject: 'A reminder for you',
      text: [
        'Hello,',
        'You have an appointment on Monday, 1 March 2100, 09:30.',
        'You have an appointment on Monday, 8 March 2100, 09:30.',
        'Times are those of Europe/London.',
      ].join('\n\n'),
      optOutUrl: expect.stringMatching(/^http.*\/reminder\/opt-out\/session\/[\w-]{32}$/),
      items: [item(first!, '2100-03-01T09:30:00.000Z'), item(second!, '2100-03-08T09:30:00.000Z')],
    },
  });
  const message = `/gateway/profile/clinic/reminder/${first!.id}/message`;
  const { body: preview } = await app.call('GET', message, { token: clinic.clinicToken });
  const body = forClient.body.replace(/(?<=session\/)[\w-]{32}/, 'HIDDEN');
  expect(preview.channels).toEqual([{ channel: 'WEBHOOK', subject: null, body }]);
});

describe('the signature', () => {
  let call: ReceivedWebhook;
  beforeEach(async () => {
    await create();
    await app.deliverDueReminders();
    [call] = webhook.calls as [ReceivedWebhook];
  });

  it('is verified by the library and by the text of Standard Webhooks, with the current and the previous secret', () => {
    for (const accepted of [secret, previousSecret])
      expect(new Webhook(accepted).verify(call.body, getHeaders(call))).toEqual(JSON.parse(call.body));
    expect(getHeaders(call)['webhook-signature']).toBe(computeSignatures(call));
  });

  it.each<[what: string, change: (call: ReceivedWebhook) => { body?: string; headers?: Record<string, string> }]>([
    ['body', ({ body }) => ({ body: body.replace('CLIENT', 'NOBODY').replace('CARE_PROVIDER', 'NOBODY') })],
    ['id', () => ({ headers: { 'webhook-id': '019abcde-0000-7000-8000-000000000000' } })],
    ['time', (own) => ({ headers: { 'webhook-timestamp': String(Number(getHeaders(own)['webhook-timestamp']) + 1) } })],
  ])('does not hold for another %s', (_, change) => {
    const { body = call.body, headers } = change(call);
    expect(() => new Webhook(secret).verify(body, { ...getHeaders(call), ...headers })).toThrow(
      'No matching signature',
    );
  });

  it('is invalid with another secret', () => {
    const other = new Webhook(`whsec_${Buffer.alloc(24, 8).toString('base64')}`);
    expect(() => other.verify(call.body, getHeaders(call))).toThrow('No matching signature');
  });

  it('is new in a later attempt, with the same message id', async () => {
    webhook.calls.length = 0;
    answers = [{ status: 429, headers: { 'retry-after': '400' } }, { status: 204 }];
    await create({ date: '2100/04/01' });
    await app.deliverDueReminders();
    app.clock.advance({ seconds: 399 });
    expect(await app.deliverDueReminders()).toBe(0);
    app.clock.advance({ seconds: 1 });
    expect(await app.deliverDueReminders()).toBe(2);
    const byId = Map.groupBy(webhook.calls, ({ headers }) => headers['webhook-id']);
    expect([...byId.values()].map((calls) => calls.length)).toEqual([2, 2]);
    for (const calls of byId.values()) {
      const [first, second] = calls.map((one) => Number(getHeaders(one)['webhook-timestamp']));
      expect(second! - first!).toBe(400);
      for (const one of calls) expect(getHeaders(one)['webhook-signature']).toBe(computeSignatures(one));
    }
  });
});

describe('the response of the receiver', () => {
  /** Creates a Session with a reminder for each of its two participants, and delivers both. */
  const settle = async (): Promise<void> => {
    await create();
    await app.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(async () => (await findReminders()).every(({ status }) => status !== 'QUEUED'));
  };
  const outcomes = async () => (await findReminders()).map(({ status, reason }) => [status, reason]);

  it.each([200, 201, 202, 204])('%i means accepted', async (status) => {
    answers = [{ status }];
    await settle();
    expect(await outcomes()).toEqual([
      ['SENT', null],
      ['SENT', null],
    ]);
    expect(webhook.calls).toHaveLength(2);
  });

  it.each([400, 409, 410, 413, 415, 422])('%i is final', async (status) => {
    // A time for a retry does not make the message deliverable.
    answers = [{ status, headers: { 'retry-after': '30' } }, { status: 204 }];
    await settle();
    expect(await outcomes()).toEqual([
      ['DEAD', 'UNDELIVERABLE'],
      ['DEAD', 'UNDELIVERABLE'],
    ]);
    expect(webhook.calls).toHaveLength(2);
  });

  it.each([302, 401, 403, 404, 405, 407, 408, 423, 425, 429, 500, 503])(
    'after %i it is tried again, as the same message',
    async (status) => {
      answers = [{ status, headers: { location: '/elsewhere' } }, { status: 204 }];
      await settle();
      for (const { status: state, sendAt } of await findReminders())
        expect([state, sendAt.since(app.clock.now()).total('seconds')]).toEqual(['PENDING', 5]);
      app.clock.advance({ seconds: 5 });
      await app.deliverDueReminders();
      expect(await outcomes()).toEqual([
        ['SENT', null],
        ['SENT', null],
      ]);
      const ids = webhook.calls.map(({ headers }) => headers['webhook-id']);
      expect([ids.length, new Set(ids).size]).toEqual([4, 2]);
      expect(webhook.calls.every(({ url }) => url === '/reminders')).toBe(true);
      for (const { history } of await findReminders())
        expect(history.map(({ what }) => what)).toEqual(['QUEUED', 'FAILED', 'QUEUED', 'SENT']);
    },
  );

  it.each<[header: (now: Temporal.Instant) => string, seconds: number]>([
    [() => '120', 120],
    [(now) => new Date(now.epochMilliseconds + 90_000).toUTCString(), 90],
    // A time in the past means that the retry is due now. The maximum delay is one hour.
    [(now) => new Date(now.epochMilliseconds - 90_000).toUTCString(), 0],
    [() => '999999999', 3_600],
  ])('Retry-After is respected, in seconds or as a date: %#', async (header, seconds) => {
    app.clock.set('2026-11-21T10:00:00Z');
    const now = app.clock.now();
    answers = [{ status: 503, headers: { 'retry-after': header(now) } }, { status: 204 }];
    const before = await countBusy('WEBHOOK');
    await settle();
    for (const { status, sendAt, history } of await findReminders()) {
      expect([status, sendAt.toString()]).toEqual(['PENDING', now.add({ seconds }).toString()]);
      expect(history.at(-1)).toMatchObject({ what: 'DEFERRED', reason: 'CHANNEL_BUSY' });
      expect(history.at(-1)).not.toHaveProperty('channel');
    }
    expect(await countBusy('WEBHOOK')).toBe(before + 2);
    expect(await countBusy('NONE')).toBe(0);
    app.clock.advance({ seconds });
    await app.deliverDueReminders();
    expect(await outcomes()).toEqual([
      ['SENT', null],
      ['SENT', null],
    ]);
  });

  it.each(['soon', '1.5', '-1', '30 seconds'])('the invalid Retry-After %j is ignored', async (header) => {
    answers = [{ status: 503, headers: { 'retry-after': header } }, { status: 204 }];
    await settle();
    app.clock.advance({ seconds: 5 });
    await app.deliverDueReminders();
    for (const { history } of await findReminders())
      expect(history.map(({ what }) => what)).toEqual(['QUEUED', 'FAILED', 'QUEUED', 'SENT']);
  });
});
