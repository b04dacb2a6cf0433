import { LockMode } from '@mikro-orm/core';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { Client } from '../../src/directory/index.js';
import { createTestDatabase } from '../support/database/test-database.js';
import { TEST_JWT_SECRET, TestApp, testEnvironment, waitFor, type ClinicFixture } from '../support/app/test-app.js';

/*
 * Tests that a revoked token leaves no calendar link at an instance that does not know the revocation yet. A link is
 * valid for a year, which is much longer than a token.
 */

const LINKS = '/gateway/profile/client/calendar-link';

let first: TestApp;
let second: TestApp;
let clinic: ClinicFixture;
let record: string;
beforeAll(async () => {
  const database = await createTestDatabase();
  const environment = {
    token: { ...testEnvironment.token, revocationInterval: Temporal.Duration.from({ minutes: 10 }) },
  };
  first = await TestApp.startOn(database, environment);
  second = await TestApp.startOn(database, { ...environment, encryption: first.environment.encryption });
});
afterAll(async () => {
  await second.nest.close();
  await first.stop();
});
beforeEach(async () => {
  clinic = await first.createClinic();
  record = `client/${clinic.clientIds[0]}`;
});

function sign(secondsFromNow: number, sub = 'test'): Promise<string> {
  const iat = Math.floor(Date.now() / 1000) + secondsFromNow;
  const claims = { sub, role: 'CLIENT', clientId: clinic.clientIds[0], iat, exp: iat + 600 };
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(TEST_JWT_SECRET));
}
const create = (token: string) => second.call('POST', LINKS, { token, body: {} });
const revoke = (body: object) =>
  first.call('POST', '/gateway/profile/clinic/revoked-token-holder', { token: clinic.clinicToken, body });
const readFeed = async (url: string) => (await second.call('GET', new URL(url).pathname)).status;

it('refuses a revoked token, and accepts one that was issued later, or to another subject', async () => {
  const [early, late, other] = await Promise.all([sign(-60), sign(2), sign(-60, 'other')]);
  const created = await create(early);
  expect([created.status, await readFeed(created.body.url)]).toEqual([201, 200]);
  expect((await revoke({ record, subject: 'test' })).status).toBe(201);
  const statuses = async () => [
    (await create(early)).status,
    (await create(late)).status,
    (await create(other)).status,
  ];
  expect(await statuses()).toEqual([401, 201, 201]);
  expect((await revoke({ record })).status).toBe(201);
  expect(await statuses()).toEqual([401, 201, 401]);
  expect(await readFeed(created.body.url)).toBe(404);
  const withoutIssueTime = await new SignJWT({ sub: 'test', role: 'CLIENT', clientId: clinic.clientIds[0] })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(Buffer.from(TEST_JWT_SECRET));
  expect((await create(withoutIssueTime)).status).toBe(401);
});

it.each(['rotate', 'renew'])('refuses a revoked token that would %s a link, which stays as it is', async (change) => {
  const [early, late] = await Promise.all([sign(-60), sign(2)]);
  const { id, url, expiresAt } = (await create(early)).body;
  expect((await revoke({ record, subject: 'test' })).status).toBe(201);
  first.clock.advance({ hours: 1 });
  second.clock.advance({ hours: 1 });
  const send = (token: string) => second.call('POST', `${LINKS}/${id}/${change}`, { token });
  expect((await send(early)).status).toBe(401);
  expect(await readFeed(url)).toBe(200);
  expect((await second.call('GET', LINKS, { token: late })).body.items).toMatchObject([{ id, expiresAt }]);
  expect((await send(late)).status).toBe(200);
});

it.each(['the creation', 'the revocation'])('leaves no link if both come at once, and %s waits first', async (one) => {
  const token = await sign(-60);
  const countWaiting = async () =>
    (
      await first.queryRows(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    ).length;
  const calls =
    one === 'the creation'
      ? [() => create(token), () => revoke({ record })]
      : [() => revoke({ record }), () => create(token)];
  const answers: ReturnType<typeof create>[] = [];
  await first.asSuperuser(async (em) => {
    await em.find(Client, { id: clinic.clientIds[0] }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    for (const [index, call] of calls.entries()) {
      answers.push(call());
      await waitFor(async () => (await countWaiting()) === index + 1);
    }
  });
  const [created, revoked] =
    one === 'the creation' ? await Promise.all(answers) : (await Promise.all(answers)).toReversed();
  expect(revoked!.status).toBe(201);
  if (created!.status === 201) expect(await readFeed(created!.body.url)).toBe(404);
  else expect(created!.status).toBe(401);
});
