import { sql } from 'kysely';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../../src/directory/index.js';
import { EmailChannel } from '../../src/reminder/channel/email/email.channel.js';
import { WebhookChannel } from '../../src/reminder/channel/webhook/webhook.channel.js';
import { MessagePreparation } from '../../src/reminder/delivery/message-preparation.js';
import { Reminder, ReminderDispatcher, ReminderPreference, UndeliverableError } from '../../src/reminder/index.js';
import type { ReminderMessage } from '../../src/reminder/index.js';
import type { Role } from '../../src/shared/access/index.js';
import { buildAssignment, createPlan } from '../support/app/series-fixtures.js';
import { PUBLIC_URL, waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests reminder preferences, their effect on delivery, and the opt-out link. */

const CAREGIVER = '/gateway/profile/caregiver';
const PATHS = {
  CLIENT: '/gateway/profile/client/reminder-preference',
  CARE_PROVIDER: `${CAREGIVER}/reminder-preference`,
  CLINIC: '/gateway/profile/clinic/reminder-preference',
} as const;
type Owner = keyof typeof PATHS;
const OWNERS = ['CLIENT', 'CARE_PROVIDER', 'CLINIC'] as const;
const NIGHT = { from: '21:00', to: '08:00' };

let app: TestApp;
let clinic: ClinicFixture;
let other: ClinicFixture;
/** The delivered messages, each with its channel. */
let delivered: { channel: string; message: ReminderMessage }[];
/** Deliveries wait until this resolves. */
let channelIsFree: Promise<unknown>;
/** Recipients that a channel cannot reach, as `<channel> <kind>`. */
let unreachable: Set<string>;

beforeAll(async () => {
  app = await TestApp.start({
    rawVariables: {
      SMTP_URL: 'smtp://127.0.0.1:1',
      SMTP_CONNECTIONS: '1',
      MAIL_FROM: 'Clinic <no-reply@care.example.org>',
      REMINDER_WEBHOOK_URL: 'http://127.0.0.1:1/reminder',
      REMINDER_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString('base64')}`,
    },
  });
  for (const channel of [app.nest.get(EmailChannel), app.nest.get(WebhookChannel)]) {
    channel.deliver = async (message) => {
      await channelIsFree;
      if (unreachable.has(`${channel.name} ${message.recipient.kind}`)) throw new UndeliverableError('not here');
      delivered.push({ channel: channel.name, message });
      return {};
    };
  }
});
afterAll(() => app.stop());
beforeEach(async () => {
  [delivered, unreachable, channelIsFree] = [[], new Set(), Promise.resolve()];
  app.clock.set('2026-11-21T10:00:00Z');
  [clinic, other] = [await app.createClinic(), await app.createClinic()];
});

const getOwnerId = (owner: Owner, of = clinic): number =>
  ({ CLIENT: of.clientIds[0], CARE_PROVIDER: of.careProviderIds[0], CLINIC: of.clinicId })[owner];
const createOwnerToken = (owner: Owner, of = clinic) => app.createToken(owner, getOwnerId(owner, of));
const getPreference = async (owner: Owner, of = clinic) =>
  app.call('GET', PATHS[owner], { token: await createOwnerToken(owner, of) });
async function putPreference(owner: Owner, body: object, of = clinic): Promise<void> {
  expect((await app.call('PUT', PATHS[owner], { token: await createOwnerToken(owner, of), body })).status).toBe(200);
}
/** Expects that the request is refused because the role does not have this field, and that nothing is stored. */
async function expectUnknownField(owner: Owner, body: object, pointer: string): Promise<void> {
  const answer = await app.call('PUT', PATHS[owner], { token: await createOwnerToken(owner, clinic), body });
  expect([answer.status, answer.body.errors]).toEqual([400, [{ pointer, detail: 'is not a field of this request' }]]);
  expect(await findStored(owner)).toBeNull();
}
const findStored = (owner: Owner, of = clinic) =>
  app.asSuperuser((em) => em.findOne(ReminderPreference, { ownerKind: owner, ownerId: getOwnerId(owner, of) }));
const optedOutOf = async (owner: Owner) => (await findStored(owner))?.optedOut ?? [];
const countPreferences = () => app.asSuperuser((em) => em.count(ReminderPreference));

async function create(change: object = { remindDays: 0 }): Promise<void> {
  const body = { clientId: clinic.clientIds[0], title: 'T', date: '2027/03/01', time: '09:30', ...change };
  const answer = await app.call('POST', `${CAREGIVER}/session`, { token: clinic.careProviderToken, body });
  expect(answer.status).toBe(201);
}
/** Lists the delivered messages as `<channel> <kind of recipient>`, sorted. */
const listDeliveries = () => delivered.map(({ channel, message }) => `${channel} ${message.recipient.kind}`).sort();
const findReminders = (where: object = {}) =>
  app.asSuperuser((em) => em.find(Reminder, { clinicId: clinic.clinicId, ...where }, { orderBy: { id: 'asc' } }));

describe.each(OWNERS)('the preference of a %s', (owner) => {
  const full = { channels: ['WEBHOOK', 'EMAIL'], quietHours: NIGHT, noQuietHours: false };

  it('is refused without a token and to every other role, and nothing is stored', async () => {
    const before = await countPreferences();
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? full : undefined;
      expect((await app.call(method, PATHS[owner], { body })).status).toBe(401);
      const roles: Role[] = ['CLIENT', 'CARE_PROVIDER', 'CLINIC', 'ADMIN'];
      for (const role of roles.filter((each) => each !== owner)) {
        const token = await app.createToken(role, role === 'ADMIN' ? undefined : getOwnerId(role));
        expect((await app.call(method, PATHS[owner], { token, body })).status).toBe(403);
      }
    }
    expect(await countPreferences()).toBe(before);
  });

  it('is refused to callers that the directory does not know', async () => {
    const token = await app.createToken(owner, 999_999_999);
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', full],
    ] as const) {
      expect((await app.call(method, PATHS[owner], { token, body })).status).toBe(403);
    }
  });

  it('has the defaults of the service at first', async () => {
    expect((await getPreference(owner)).body).toEqual({
      channels: null,
      quietHours: null,
      noQuietHours: false,
      optedOut: [],
      revealing: false,
      updatedAt: null,
      effective: { channels: ['EMAIL', 'WEBHOOK'], quietHours: null, timeZone: 'Europe/London' },
    });
    expect(await findStored(owner)).toBeNull();
  });

  it('is stored and read back', async () => {
    await putPreference(owner, full);
    expect(await findStored(owner)).toMatchObject({
      clinicId: clinic.clinicId,
      ...full,
      revealing: false,
      optedOut: [],
    });
    const { status, body } = await getPreference(owner);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...full, updatedAt: '2026-11-21T10:00:00.000Z' });
    expect(body.effective).toEqual({ channels: ['WEBHOOK', 'EMAIL'], quietHours: NIGHT, timeZone: 'Europe/London' });
  });

  it('is replaced as a whole by the next one: absent fields are reset', async () => {
    await putPreference(owner, full);
    app.clock.advance({ hours: 1 });
    await putPreference(owner, { noQuietHours: true });
    expect(await findStored(owner)).toMatchObject({ channels: null, quietHours: null, noQuietHours: true });
    expect((await getPreference(owner)).body).toMatchObject({
      noQuietHours: true,
      updatedAt: '2026-11-21T11:00:00.000Z',
    });
  });

  it('changes nothing for other owners in this or another Clinic', async () => {
    await putPreference(owner, full, other);
    for (const each of OWNERS) expect(await findStored(each)).toBeNull();
    expect((await getPreference(owner)).body).toMatchObject({ channels: null, quietHours: null, updatedAt: null });
    expect(await findStored(owner, other)).toMatchObject({ clinicId: other.clinicId });
  });

  it.each<[why: string, body: unknown, pointer: string]>([
    ['no object', [], ''],
    ['channels that are no list', { channels: 'EMAIL' }, '/channels'],
    ['no channel', { channels: [] }, '/channels'],
    ['a channel that there is not', { channels: ['EMAIL', 'PIGEON'] }, '/channels/1'],
    ['a channel in other letters', { channels: ['email'] }, '/channels/0'],
    ['a channel that is no text', { channels: [1] }, '/channels/0'],
    ['too many channels', { channels: Array(11).fill('EMAIL') }, '/channels'],
    ['hours without an end', { quietHours: { from: '21:00' } }, '/quietHours/to'],
    ['hours without a beginning', { quietHours: { to: '08:00' } }, '/quietHours/from'],
    ['no hour of the day', { quietHours: { from: '24:00', to: '08:00' } }, '/quietHours/from'],
    ['an hour in other words', { quietHours: { from: '9 PM', to: '08:00' } }, '/quietHours/from'],
    ['hours that never end', { quietHours: { from: '08:00', to: '08:00' } }, '/quietHours/to'],
    ['a text for true', { noQuietHours: 'true' }, '/noQuietHours'],
  ])('is refused with %s, and nothing is stored', async (_, body, pointer) => {
    const before = await countPreferences();
    const answer = await app.call('PUT', PATHS[owner], { token: await createOwnerToken(owner), body });
    expect([answer.status, answer.body.type]).toEqual([400, 'urn:problem:invalid-request']);
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([pointer]);
    expect(await countPreferences()).toBe(before);
  });

  it('is refused with a channel of 33 characters: the error says that it is too long', async () => {
    const body = { channels: ['E'.repeat(33)] };
    const answer = await app.call('PUT', PATHS[owner], { token: await createOwnerToken(owner), body });
    const errors = [{ pointer: '/channels/0', detail: 'must be at most 32 characters long' }];
    expect([answer.status, answer.body.errors]).toEqual([400, errors]);
  });

  it('is refused as a form, and nothing is stored', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const token = await createOwnerToken(owner);
    const answer = await app.call('PUT', PATHS[owner], { token, raw: 'noQuietHours=true', headers });
    expect(answer.status).toBe(415);
    expect(await findStored(owner)).toBeNull();
  });
});

it('the first preference of an owner can be stored by several requests at once', async () => {
  for (const owner of OWNERS) {
    const token = await createOwnerToken(owner);
    const body = { quietHours: NIGHT };
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.call('PUT', PATHS[owner], { token, body })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await findStored(owner)).toMatchObject({ quietHours: NIGHT });
  }
});

describe('fields of some roles', () => {
  it.each(['CLIENT', 'CARE_PROVIDER'] as const)('%s: opted-out kinds, each once', async (owner) => {
    await putPreference(owner, { optedOut: ['HOMEWORK', 'SESSION', 'HOMEWORK'].slice(0, 2) });
    expect((await findStored(owner))!.optedOut).toEqual(['HOMEWORK', 'SESSION']);
    const token = await createOwnerToken(owner);
    const refused = async (kinds: unknown) => {
      const { status, body } = await app.call('PUT', PATHS[owner], { token, body: { optedOut: kinds } });
      return [status, body.errors[0]];
    };
    expect(await refused(['BIRTHDAY'])).toMatchObject([400, { pointer: '/optedOut/0' }]);
    expect(await refused('HOMEWORK')).toEqual([400, { pointer: '/optedOut', detail: 'must be a list' }]);
    expect(await refused(['HOMEWORK', 'SESSION', 'HOMEWORK'])).toEqual([
      400,
      { pointer: '/optedOut', detail: 'must have at most 2 items' },
    ]);
    expect((await findStored(owner))!.optedOut).toEqual(['HOMEWORK', 'SESSION']);
  });

  it('Clinic: revealing, which a Client cannot set; the Clinic cannot opt out recipients', async () => {
    await expectUnknownField('CLIENT', { revealing: true }, '/revealing');
    await expectUnknownField('CLINIC', { revealing: true, optedOut: ['SESSION'] }, '/optedOut');
    await putPreference('CLINIC', { revealing: true });
    expect(await findStored('CLINIC')).toMatchObject({ revealing: true, optedOut: [] });
    expect((await getPreference('CLIENT')).body.revealing).toBe(true);
    await putPreference('CLINIC', {});
    expect((await getPreference('CLIENT')).body.revealing).toBe(false);
  });
});

describe('channels', () => {
  it('are tried in the order of the recipient until one can reach them', async () => {
    unreachable.add('EMAIL CLIENT');
    await create();
    await app.deliverDueReminders();
    expect(listDeliveries()).toEqual(['EMAIL CARE_PROVIDER', 'WEBHOOK CLIENT']);
    const [forClient] = await findReminders({ recipientKind: 'CLIENT' });
    expect(forClient!.history.at(-1)).toMatchObject({ what: 'SENT', channel: 'WEBHOOK' });
  });

  it('that cannot reach a recipient cause a dead letter and do not delay others', async () => {
    unreachable.add('EMAIL CLIENT').add('WEBHOOK CLIENT');
    await create();
    await app.deliverDueReminders();
    expect(listDeliveries()).toEqual(['EMAIL CARE_PROVIDER']);
    expect((await findReminders()).map(({ status, reason }) => [status, reason])).toEqual([
      ['DEAD', 'UNDELIVERABLE'],
      ['SENT', null],
    ]);
  });

  it('are only those that were chosen', async () => {
    await putPreference('CLIENT', { channels: ['WEBHOOK'] });
    await putPreference('CARE_PROVIDER', { channels: ['WEBHOOK', 'EMAIL'] });
    unreachable.add('WEBHOOK CLIENT').add('WEBHOOK CARE_PROVIDER');
    await create();
    await app.deliverDueReminders();
    expect(listDeliveries()).toEqual(['EMAIL CARE_PROVIDER']);
    expect((await findReminders({ recipientKind: 'CLIENT' })).map(({ status }) => status)).toEqual(['DEAD']);
  });

  /**
   * Dispatches two messages and waits until both are prepared. The only connection to the mail server has the first one;
   * the second one waits for it.
   *
   * @returns a function that frees the channel
   */
  async function dispatchToBusyChannel(): Promise<() => void> {
    const { promise, resolve: release } = Promise.withResolvers<undefined>();
    channelIsFree = promise;
    const preparation = app.nest.get(MessagePreparation);
    const prepare = preparation.prepare.bind(preparation);
    let preparedCount = 0;
    preparation.prepare = async (...parameters) => {
      const prepared = await prepare(...parameters);
      preparedCount += prepared.size;
      return prepared;
    };
    await app.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(() => Promise.resolve(preparedCount === 2));
    preparation.prepare = prepare;
    return () => release(undefined);
  }

  it('that the recipient no longer chooses are not used for a message that waits', async () => {
    await create();
    const release = await dispatchToBusyChannel();
    for (const owner of ['CLIENT', 'CARE_PROVIDER'] as const) await putPreference(owner, { channels: ['WEBHOOK'] });
    // The worker prepares a message again if it is older than a second.
    await delay(1_100);
    release();
    await waitFor(() => Promise.resolve(delivered.length === 2));
    expect(delivered.map(({ channel }) => channel)).toEqual(['EMAIL', 'WEBHOOK']);
  });

  it('are not used for a message that waits once its Session is cancelled', async () => {
    await create();
    const release = await dispatchToBusyChannel();
    const { sessionId } = (await findReminders())[0]!;
    const cancellation = { token: clinic.clinicToken, body: { reason: 'CLIENT_REQUEST' } };
    await app.call('POST', `/gateway/profile/clinic/session/${sessionId}/cancel`, cancellation);
    release();
    await waitFor(async () => {
      const unfinished = await app.queryRows(
        sql`select from pgboss.job where name like 'reminder%' and state in ('created', 'retry', 'active')`,
      );
      return unfinished.length === 0;
    });
    expect(delivered).toHaveLength(1);
    expect((await findReminders()).map(({ status }) => status).toSorted()).toEqual(['SENT', 'WITHDRAWN']);
  });

  it("are the Clinic's for recipients who have chosen none", async () => {
    await putPreference('CLINIC', { channels: ['WEBHOOK'] });
    await putPreference('CARE_PROVIDER', { channels: ['EMAIL'] });
    expect((await getPreference('CLIENT')).body).toMatchObject({
      channels: null,
      effective: { channels: ['WEBHOOK'] },
    });
    await create();
    await app.deliverDueReminders();
    expect(listDeliveries()).toEqual(['EMAIL CARE_PROVIDER', 'WEBHOOK CLIENT']);
  });
});

describe('quiet hours', () => {
  const moveTo = (timeZone: string) =>
    app.asSuperuser(async (em) => (await em.findOneOrFail(Client, { id: clinic.clientIds[0] })).change({ timeZone }));

  it('defer reminders until their end in the time zone of the recipient', async () => {
    await moveTo('America/Los_Angeles');
    await putPreference('CLIENT', { quietHours: NIGHT });
    expect((await getPreference('CLIENT')).body.effective.timeZone).toBe('America/Los_Angeles');
    // 10:00 in London is 02:00 in Los Angeles.
    await create();
    await app.deliverDueReminders();
    expect(listDeliveries()).toEqual(['EMAIL CARE_PROVIDER']);
    const [waiting] = await findReminders({ recipientKind: 'CLIENT' });
    expect([waiting!.status, waiting!.sendAt.toString()]).toEqual(['PENDING', '2026-11-21T16:00:00Z']);
    app.clock.set('2026-11-21T15:59:59Z');
    expect(await app.deliverDueReminders()).toBe(0);
    app.clock.set('2026-11-21T16:00:02Z');
    await app.deliverDueReminders();
    expect(listDeliveries()).toEqual(['EMAIL CARE_PROVIDER', 'EMAIL CLIENT']);
    // The message is sent six hours after the due time, but is not late, because it waited for the end of the quiet
    // hours.
    expect(delivered.at(-1)!.message.late).toBe(false);
  });

  it("are the Clinic's for recipients who have chosen none, but not for those with noQuietHours", async () => {
    await putPreference('CLINIC', { quietHours: { from: '09:00', to: '12:00' } });
    await putPreference('CLIENT', { noQuietHours: true });
    await create();
    // A dispatch leaves out reminders that the replanning for the Clinic's quiet hours has locked.
    await waitFor(async () => {
      await app.deliverDueReminders();
      return listDeliveries().length > 0;
    });
    expect(listDeliveries()).toEqual(['EMAIL CLIENT']);
    const [waiting] = await findReminders({ recipientKind: 'CARE_PROVIDER' });
    expect([waiting!.status, waiting!.sendAt.toString()]).toEqual(['PENDING', '2026-11-21T12:00:00Z']);
  });

  it('that are set after a reminder was queued apply when it is sent', async () => {
    await putPreference('CLIENT', { channels: ['EMAIL'] });
    await create();
    const email = app.nest.get(EmailChannel);
    const deliver = email.deliver.bind(email);
    let attempts = 0;
    // All first attempts fail. Quiet hours begin before the second attempts.
    email.deliver = async (message) => {
      attempts += 1;
      if (attempts <= 2) throw new Error('greylisted');
      return deliver(message);
    };
    await app.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(() => attempts === 2);
    await putPreference('CLIENT', { channels: ['EMAIL'], quietHours: { from: '09:00', to: '12:00' } });
    await waitFor(async () => (await findReminders()).every(({ status }) => status !== 'QUEUED'));
    // Failed deliveries are tried again after a delay.
    app.clock.advance({ seconds: 5 });
    await app.deliverDueReminders();
    email.deliver = deliver;
    expect(listDeliveries()).toEqual(['EMAIL CARE_PROVIDER']);
    const [waiting] = await findReminders({ recipientKind: 'CLIENT' });
    expect([waiting!.status, waiting!.sendAt.toString()]).toEqual(['PENDING', '2026-11-21T12:00:00Z']);
  });
});

describe('opting out', () => {
  it('ends the reminders of one kind only', async () => {
    const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [1, '20:00'])] }];
    const plan = await createPlan(app, clinic, { weeks });
    const body = { clientId: clinic.clientIds[0], date: '2027/03/01', time: '09:30', reminders: ['-PT1H'] };
    const path = `${CAREGIVER}/design-plan/${plan}/apply`;
    expect((await app.call('POST', path, { token: clinic.careProviderToken, body })).status).toBe(201);
    await putPreference('CLIENT', { optedOut: ['HOMEWORK'] });
    app.clock.set('2027-03-01T08:30:00Z');
    await app.deliverDueReminders();
    app.clock.set('2027-03-01T20:00:00Z');
    await app.deliverDueReminders();
    expect(listDeliveries()).toEqual(['EMAIL CARE_PROVIDER', 'EMAIL CLIENT']);
    const kinds = (await findReminders()).map(({ kind, recipientKind, status, reason }) => [
      ...[kind, recipientKind, status, reason],
    ]);
    expect(kinds.sort()).toEqual([
      ['HOMEWORK', 'CLIENT', 'SKIPPED', 'OPTED_OUT'],
      ['SESSION', 'CARE_PROVIDER', 'SENT', null],
      ['SESSION', 'CLIENT', 'SENT', null],
    ]);
  });
});

describe('the opt-out link of a message', () => {
  const ONE_CLICK = {
    raw: 'List-Unsubscribe=One-Click',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  };
  let path: string;
  beforeEach(async () => {
    await create();
    await app.deliverDueReminders();
    const forClient = delivered.find(({ message }) => message.recipient.kind === 'CLIENT')!;
    expect(forClient.message.optOutUrl).toMatch(`${PUBLIC_URL}/reminder/opt-out/session/`);
    path = new URL(forClient.message.optOutUrl!).pathname;
  });

  it('shows a page when it is opened and changes nothing', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await app.call(method, path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.headers.get('cache-control')).toBe('max-age=1, no-cache');
    }
    expect((await app.call('GET', path)).text).toContain('<form method="post">');
    expect(await optedOutOf('CLIENT')).toEqual([]);
  });

  it.each<[why: string, call: object]>([
    ['as the mail program does it (RFC 8058)', ONE_CLICK],
    [
      'as the mail program may do it',
      {
        raw: '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      },
    ],
    ['as the button of the page does it', { ...ONE_CLICK, raw: '' }],
    ['without a body', {}],
  ])('ends the reminders of that kind, without signing in: %s', async (_, call) => {
    app.clock.advance({ hours: 1 });
    const answer = await app.call('POST', path, call);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const now = '2026-11-21T11:00:00Z';
    expect(await findStored('CLIENT')).toMatchObject({ optedOut: ['SESSION'], channels: null, quietHours: null });
    expect((await findStored('CLIENT'))!.updatedAt.toString()).toBe(now);
    // Other recipients are not affected, and a repeated call changes nothing.
    expect(await optedOutOf('CARE_PROVIDER')).toEqual([]);
    app.clock.advance({ hours: 1 });
    expect((await app.call('POST', path, call)).status).toBe(200);
    expect((await findStored('CLIENT'))!.updatedAt.toString()).toBe(now);
  });

  it('ends both kinds of reminders if the message contains both', async () => {
    const weeks = [{ assignments: [buildAssignment(clinic.ownBookId, [1, '20:00'])] }];
    const plan = await createPlan(app, clinic, { weeks });
    // The reminder one hour before the Session and the one about the homework are due at the same time.
    const body = { clientId: clinic.clientIds[0], date: '2027/03/01', time: '21:00', reminders: ['-PT1H'] };
    const apply = `${CAREGIVER}/design-plan/${plan}/apply`;
    expect((await app.call('POST', apply, { token: clinic.careProviderToken, body })).status).toBe(201);
    app.clock.set('2027-03-01T20:00:00Z');
    await app.deliverDueReminders();
    const { message } = delivered.findLast(({ message }) => message.recipient.kind === 'CLIENT')!;
    expect(message.items.map(({ kind }) => kind).sort()).toEqual(['HOMEWORK', 'SESSION']);
    const link = new URL(message.optOutUrl!).pathname;
    expect(link).toMatch(/^\/reminder\/opt-out\/all\//);
    expect((await app.call('GET', link)).status).toBe(200);
    expect(await optedOutOf('CLIENT')).toEqual([]);
    expect((await app.call('POST', link, ONE_CLICK)).status).toBe(200);
    expect(await optedOutOf('CLIENT')).toEqual(['SESSION', 'HOMEWORK']);
  });

  it('applies to later reminders until the Client changes the preference', async () => {
    await app.call('POST', path, ONE_CLICK);
    await create();
    await app.deliverDueReminders();
    expect((await findReminders({ recipientKind: 'CLIENT' })).map(({ status }) => status)).toEqual(['SENT', 'SKIPPED']);
    await putPreference('CLIENT', { optedOut: [] });
    await create();
    await app.deliverDueReminders();
    expect((await findReminders({ recipientKind: 'CLIENT' })).at(-1)!.status).toBe('SENT');
    // All messages contain the same link.
    expect(
      new URL(delivered.findLast(({ message }) => message.recipient.kind === 'CLIENT')!.message.optOutUrl!),
    ).toEqual(new URL(path, PUBLIC_URL));
  });

  it('applies to a reminder that is queued already', async () => {
    await create();
    const email = app.nest.get(EmailChannel);
    const deliver = email.deliver.bind(email);
    let attempts = 0;
    email.deliver = async (message) => {
      attempts += 1;
      if (attempts <= 2) throw new Error('greylisted');
      return deliver(message);
    };
    await app.nest.get(ReminderDispatcher).dispatchDue();
    await waitFor(() => attempts === 2);
    await app.call('POST', path, ONE_CLICK);
    await waitFor(async () => (await findReminders()).every(({ status }) => status !== 'QUEUED'));
    // Failed deliveries are tried again after a delay.
    app.clock.advance({ seconds: 5 });
    await app.deliverDueReminders();
    email.deliver = deliver;
    expect((await findReminders({ recipientKind: 'CLIENT' })).at(-1)).toMatchObject({
      status: 'SKIPPED',
      reason: 'OPTED_OUT',
    });
  });

  it('of the other kind ends the reminders of that kind', async () => {
    expect((await app.call('POST', path.replace('/session/', '/homework/'), ONE_CLICK)).status).toBe(200);
    expect(await findStored('CLIENT')).toMatchObject({ optedOut: ['HOMEWORK'] });
  });

  it('is 404 and changes nothing if it is guessed, malformed or of a Clinic', async () => {
    await putPreference('CLINIC', {});
    const secret = path.split('/').at(-1)!;
    const bent = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A');
    const guesses = [
      `/reminder/opt-out/session/${randomBytes(24).toString('base64url')}`,
      `/reminder/opt-out/session/${bent}`,
      `/reminder/opt-out/session/${secret.toLowerCase()}`,
      `/reminder/opt-out/session/${secret}%20`,
      `/reminder/opt-out/session/%25`,
      `/reminder/opt-out/session/%00`,
      `/reminder/opt-out/session/${'x'.repeat(599)}`,
      `/reminder/opt-out/session/${clinic.clientIds[0]}`,
      `/reminder/opt-out/session/${(await findStored('CLINIC'))!.optOutToken}`,
      `/reminder/opt-out/SESSION/${secret}`,
      `/reminder/opt-out/birthday/${secret}`,
    ];
    for (const guess of guesses) {
      expect([guess, (await app.call('GET', guess)).status]).toEqual([guess, 404]);
      expect([guess, (await app.call('POST', guess, ONE_CLICK)).status]).toEqual([guess, 404]);
    }
    for (const owner of OWNERS) expect(await optedOutOf(owner)).toEqual([]);
  });

  it('of another recipient ends nothing here', async () => {
    const forCareProvider = delivered.find(({ message }) => message.recipient.kind === 'CARE_PROVIDER')!;
    await app.call('POST', new URL(forCareProvider.message.optOutUrl!).pathname, ONE_CLICK);
    expect(await optedOutOf('CLIENT')).toEqual([]);
    expect(await findStored('CARE_PROVIDER')).toMatchObject({ optedOut: ['SESSION'] });
  });

  it('accepts forms on this route only, and no large ones', async () => {
    const token = clinic.careProviderToken;
    for (const [method, route] of [
      ['POST', `${CAREGIVER}/session`],
      ['PUT', PATHS.CARE_PROVIDER],
    ] as const) {
      expect((await app.call(method, route, { token, ...ONE_CLICK })).status).toBe(415);
    }
    expect((await app.call('POST', path, { ...ONE_CLICK, raw: 'x'.repeat(2_000) })).status).toBe(413);
    expect(await optedOutOf('CLIENT')).toEqual([]);
  });
});
