import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { EmailChannel } from '../../src/reminder/channel/email/email.channel.js';
import { OptOutLink, ReminderPreference, type ReminderMessage } from '../../src/reminder/index.js';
import { hashOptOutSecret } from '../../src/reminder/domain/preference/opt-out-link.entity.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { createConnectionLostError, interceptStatements } from '../support/database/statement-interceptor.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests how the secrets of opt-out links are stored, reused, invalidated, and taken over from the previous release. */

const UPKEEP = 'opt-out-links-upkeep';
const DAY_HOURS = 24;

let app: TestApp;
let clinic: ClinicFixture;
let delivered: ReminderMessage[];
beforeAll(async () => {
  app = await TestApp.start({
    rawVariables: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Clinic <no-reply@care.example.org>' },
  });
  await app.nest.get(Scheduler).stop(UPKEEP);
  app.nest.get(EmailChannel).deliver = async (message) => {
    delivered.push(message);
    return {};
  };
});
afterAll(() => app.stop());
beforeEach(async () => {
  delivered = [];
  app.clock.set('2026-11-21T10:00:00Z');
  clinic = await app.createClinic();
});

/** Delivers one message to the Care Provider and one to each of the Clients. */
async function deliver(clientIds: readonly number[] = [clinic.clientIds[0]]): Promise<void> {
  for (const [index, clientId] of clientIds.entries()) {
    const body = { clientId, title: 'T', date: `2027/03/0${index + 1}`, time: '09:30', remindDays: 0 };
    const answer = await app.call('POST', '/gateway/profile/caregiver/session', {
      token: clinic.careProviderToken,
      body,
    });
    expect(answer.status).toBe(201);
  }
  await app.deliverDueReminders();
}

const pathTo = ({ optOutUrl }: ReminderMessage) => new URL(optOutUrl!).pathname;
const secretsOfClient = () => [
  ...new Set(
    delivered.filter(({ recipient }) => recipient.kind === 'CLIENT').map((one) => pathTo(one).split('/').at(-1)!),
  ),
];
const statusOf = async (secret: string) => (await app.call('GET', `/reminder/opt-out/session/${secret}`)).status;
const optOut = async (secret: string) => (await app.call('POST', `/reminder/opt-out/session/${secret}`)).status;
const linksOfClinic = () => app.asSuperuser((em) => em.find(OptOutLink, { clinicId: clinic.clinicId }));
const preferenceOf = (ownerId = clinic.clientIds[0]) =>
  app.asSuperuser((em) => em.findOne(ReminderPreference, { ownerKind: 'CLIENT', ownerId }));

it('are stored as hashes only, whose owner is the recipient', async () => {
  await deliver();
  const [secret] = secretsOfClient();
  const links = await linksOfClinic();
  expect(links).toHaveLength(2);
  expect(links.find(({ ownerKind }) => ownerKind === 'CLIENT')).toMatchObject({
    secretHash: hashOptOutSecret(secret!),
    ownerId: clinic.clientIds[0],
    expiresAt: Temporal.Instant.from('2027-02-19T10:00:00Z'),
  });
  const tables = await app.queryRows(sql<{ name: string }>`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema in ('public', 'pgboss')`);
  for (const { name } of tables) {
    const rows = await app.queryRows(sql`select t::text from ${sql.table(name)} t`);
    expect([name, JSON.stringify(rows).includes(secret!)]).toEqual([name, false]);
  }
});

it('expire after 90 days', async () => {
  await deliver();
  const [secret] = secretsOfClient();
  app.clock.set('2027-02-19T09:59:59Z');
  expect(await statusOf(secret!)).toBe(200);
  app.clock.set('2027-02-19T10:00:00Z');
  expect([await statusOf(secret!), await optOut(secret!)]).toEqual([404, 404]);
  expect(await preferenceOf()).toBeNull();
});

it('are reused for a week; then a message has a new secret, and the previous one goes on working', async () => {
  await deliver();
  app.clock.advance({ hours: 7 * DAY_HOURS - 1 });
  await deliver();
  expect(secretsOfClient()).toHaveLength(1);
  app.clock.advance({ hours: 1 });
  await deliver();
  const secrets = secretsOfClient();
  expect(secrets).toHaveLength(2);
  for (const secret of secrets) expect(await statusOf(secret)).toBe(200);
  expect(await optOut(secrets[0]!)).toBe(200);
  expect(await preferenceOf()).toMatchObject({ optedOut: ['SESSION'] });
});

it('are stored by one statement for all messages of a batch, and by none while they are reused', async () => {
  const statements: string[] = [];
  const untap = await interceptStatements(app, { before: (text) => void statements.push(text) });
  const counts: number[] = [];
  try {
    for (let batch = 0; batch < 2; batch += 1) {
      statements.length = 0;
      await deliver(clinic.clientIds.slice(0, 2));
      counts.push(statements.filter((text) => text.includes('opt_out_link')).length);
      // Preferences are only read, together with the recipients. Nothing is written to them for a link.
      expect(statements.filter((text) => /insert into "?reminder_preference/.test(text))).toEqual([]);
    }
  } finally {
    untap();
  }
  expect([counts, (await linksOfClinic()).length]).toEqual([[1, 0], 3]);
});

it('are not reused if the transaction that stores them fails', async () => {
  let failures = 0;
  const untap = await interceptStatements(app, {
    before: (text) => {
      if (!text.includes('insert into "opt_out_link"') || failures === 1) return;
      failures += 1;
      throw createConnectionLostError();
    },
  });
  try {
    await deliver();
  } finally {
    untap();
  }
  app.clock.advance({ minutes: 1 });
  await app.deliverDueReminders();
  expect(failures).toBe(1);
  const secrets = secretsOfClient();
  expect(secrets).toHaveLength(1);
  expect(await statusOf(secrets[0]!)).toBe(200);
});

it('opt out once when they are used several times at once, without a stored preference', async () => {
  await deliver();
  const [secret] = secretsOfClient();
  expect(await Promise.all(Array.from({ length: 4 }, () => optOut(secret!)))).toEqual([200, 200, 200, 200]);
  expect(await preferenceOf()).toMatchObject({ optedOut: ['SESSION'], clinicId: clinic.clinicId });
});

describe('of the release before', () => {
  /** Inserts a preference in the same way as the previous release. */
  async function insertPreference(): Promise<string> {
    const token = randomBytes(24).toString('base64url');
    await app.queryRows(sql`
      insert into reminder_preference (clinic_id, owner_kind, owner_id, no_quiet_hours, opted_out, revealing, opt_out_token,
        updated_at)
      values (${clinic.clinicId}::bigint, 'CLIENT', ${clinic.clientIds[0]}::bigint, false, '[]', false, ${token}, now())`);
    return token;
  }
  const instance = '019abcde-0000-7000-8000-0000000000aa';
  const beginOther = () =>
    app.queryRows(sql`
      insert into instance (id, release, clock_offset_ms, zone_data_version, started_at, last_seen)
      select ${instance}::uuid, '0.0.1', clock_offset_ms, zone_data_version, now(), now() from instance limit 1`);
  const endOther = () => app.queryRows(sql`delete from instance where id = ${instance}::uuid`);

  it('work, also once their tokens in clear text are replaced', async () => {
    const token = await insertPreference();
    expect(await statusOf(token)).toBe(200);
    await app.nest.get(Scheduler).run(UPKEEP);
    expect((await preferenceOf())!.optOutToken).toBe(`hashed:CLIENT:${clinic.clientIds[0]}`);
    expect([await statusOf(token), await optOut(token)]).toEqual([200, 200]);
    expect(await preferenceOf()).toMatchObject({ optedOut: ['SESSION'] });
    expect(await statusOf(`hashed:CLIENT:${clinic.clientIds[0]}`)).toBe(404);
  });

  it('keep their tokens while an instance of that release runs', async () => {
    const token = await insertPreference();
    await beginOther();
    await app.nest.get(Scheduler).run(UPKEEP);
    expect((await preferenceOf())!.optOutToken).toBe(token);
    await endOther();
    await app.nest.get(Scheduler).run(UPKEEP);
    expect((await preferenceOf())!.optOutToken).not.toBe(token);
  });
});

it('are deleted once they have expired, by the time of the database', async () => {
  await deliver();
  await app.queryRows(sql`
    update opt_out_link set expires_at = now() where clinic_id = ${clinic.clinicId} and owner_kind = 'CLIENT'`);
  await app.nest.get(Scheduler).run(UPKEEP);
  expect((await linksOfClinic()).map(({ ownerKind }) => ownerKind)).toEqual(['CARE_PROVIDER']);
});
