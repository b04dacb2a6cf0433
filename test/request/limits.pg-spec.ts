import { MikroORM } from '@mikro-orm/core';
import { jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { decodeJwt } from 'jose';
import { hash } from 'node:crypto';
import dns from 'node:dns';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { createApplication } from '../../src/app.setup.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { waitFor, TestApp, type ClinicFixture } from '../support/app/test-app.js';

/* Tests the limits of several instances on one database. */

const PATH = '/gateway/profile/clinic/book';
const LIMIT = 40;

let app: TestApp;
let clinic: ClinicFixture;
let second: NestFastifyApplication;
beforeAll(async () => {
  app = await TestApp.start({ rateLimits: { caller: LIMIT, address: 0, 'failed-authentication': 0 } });
  clinic = await app.createClinic();
  second = await createApplication(app.environment, app.clock);
  await second.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await second.close();
  await app.stop();
});
// Each test starts in a new minute, in which no requests were counted.
beforeEach(() => app.clock.advance({ minutes: 1 }));

const call = async (url: string) => {
  const answer = await fetch(new URL(PATH, url), { headers: { authorization: `bearer ${clinic.clinicToken}` } });
  await answer.arrayBuffer();
  return answer;
};
async function callBoth(times: number): Promise<number[]> {
  const urls = [app.url, await second.getUrl()];
  const statuses: number[] = [];
  for (let index = 0; index < times; index += 1) statuses.push((await call(urls[index % 2]!)).status);
  return statuses;
}
const synchronise = async () => {
  for (const application of [app.nest, second]) await application.get(Scheduler).run('rate-limit-synchronisation');
};
const leftOf = (answer: Response) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit')!)![1]);
const counted = (): Promise<{ minute: string; digest: string }[]> =>
  app.nest.get(MikroORM).em.getConnection().execute('select * from rate_limit_count');

it('counts the requests of a caller across both instances', async () => {
  expect(await callBoth(LIMIT / 2)).toEqual(Array(LIMIT / 2).fill(200));
  await synchronise();
  // An instance gets the counts of the other one when it synchronises new requests of its own.
  expect(await callBoth(2)).toEqual([200, 200]);
  await synchronise();
  const answers = [await call(app.url), await call(await second.getUrl())];
  // Without synchronisation, each instance would have counted only 12 requests.
  for (const answer of answers) expect(leftOf(answer)).toBeLessThanOrEqual(LIMIT - 22);
  await callBoth(LIMIT / 2);
  await synchronise();
  await callBoth(2);
  await synchronise();
  expect(await callBoth(4)).toEqual([429, 429, 429, 429]);
});

it('counts a request once if old counts cannot be deleted', async () => {
  let failures = 0;
  const untap = await interceptStatements(app, {
    before: (statement) => {
      if (!statement.startsWith('delete from "rate_limit_count"')) return;
      failures += 1;
      throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
    },
  });
  for (let count = 1; count <= 10; count += 1) expect((await call(app.url)).status).toBe(200);
  const synchroniseFirst = () => app.nest.get(Scheduler).run('rate-limit-synchronisation');
  await synchroniseFirst();
  await synchroniseFirst();
  untap();
  expect([failures, leftOf(await call(app.url))]).toEqual([1, LIMIT - 11]);
});

it('synchronises by itself: over time, the limit applies to both instances together', async () => {
  const deadline = performance.now() + 20_000;
  let answered = 0;
  let statuses: number[];
  do {
    statuses = await callBoth(2);
    answered += statuses.filter((status) => status === 200).length;
    await new Promise((resolve) => setTimeout(resolve, 100));
  } while (statuses.includes(200) && performance.now() < deadline);
  expect(statuses).toEqual([429, 429]);
  // About twenty requests per second arrive, so this is how far the instances may exceed the limit.
  expect(answered).toBeGreaterThanOrEqual(LIMIT);
  expect(answered).toBeLessThan(LIMIT + 25);
});

it('needs no statement per request, and one per second for all callers', async () => {
  await synchronise();
  const statements: string[] = [];
  const untap = await interceptStatements(app, { before: (statement) => void statements.push(statement) });
  try {
    await callBoth(20);
    await synchronise();
  } finally {
    untap();
  }
  const ofLimits = statements.filter((statement) => statement.includes('rate_limit_count'));
  expect(ofLimits.length).toBeGreaterThan(0);
  // In about a second, two instances need only a few statements instead of twenty.
  expect(ofLimits.length).toBeLessThanOrEqual(10);
});

it('stores neither callers nor past minutes', async () => {
  for (let minute = 0; minute < 4; minute += 1) {
    app.clock.advance({ minutes: 1 });
    await callBoth(2);
    await synchronise();
  }
  const rows = await counted();
  expect(new Set(rows.map((row) => row.minute)).size).toBeLessThanOrEqual(2);
  expect(JSON.stringify(rows)).not.toMatch(/CLINIC|clinic|127\.0/);
});

it('stores no digest that a reader without the keys can find by trying all callers', async () => {
  await callBoth(4);
  await synchronise();
  const digests = (await counted()).map(({ digest }) => digest);
  expect(digests.length).toBeGreaterThan(0);
  const caller = `CLINIC ${clinic.clinicId} ${decodeJwt(clinic.clinicToken).sub}`;
  expect(digests).not.toContain(hash('sha256', `caller ${caller}`, 'base64url'));
});

it('limits each instance separately while the table cannot be written', async () => {
  const untap = await interceptStatements(app, {
    before: (statement) => {
      if (statement.includes('rate_limit_count')) throw Object.assign(new Error('gone'), { code: '57P01' });
    },
  });
  try {
    const statuses = await callBoth(2 * LIMIT + 4);
    await synchronise();
    expect(statuses.filter((status) => status === 200)).toHaveLength(2 * LIMIT);
    expect(statuses.slice(-4)).toEqual([429, 429, 429, 429]);
  } finally {
    untap();
  }
});

it('limits the connections of all addresses of localhost together', async () => {
  const both = ['127.0.0.1', '::1'];
  // Mocks the lookup, because not every machine has both addresses of `localhost` in its /etc/hosts.
  const lookup = jest.spyOn(dns, 'lookup').mockImplementation(localhostOf(both) as never);
  const apart = await createApplication({ ...app.environment, connectionLimits: { address: 0, all: 2 } }, app.clock);
  await apart.listen({ port: 0, host: 'localhost' });
  const { port } = apart.getHttpServer().address() as AddressInfo;
  const sockets = both.map((host) => connect({ host, port }).on('error', () => undefined));
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    // Each request uses a new connection.
    const statusAt = (host: string) =>
      fetch(`http://${host}:${port}/openapi.json`, { headers: { connection: 'close' } }).then(({ status }) => status);
    for (const host of ['127.0.0.1', '[::1]']) await waitFor(async () => (await statusAt(host)) === 503);
    for (const socket of sockets) socket.destroy();
    for (const host of ['127.0.0.1', '[::1]']) await waitFor(async () => (await statusAt(host)) === 200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await apart.close();
    lookup.mockRestore();
  }
});

const { lookup: lookUp } = dns;
type Found = (error: Error | null, addresses: dns.LookupAddress[]) => void;
/** Resolves a host name to all of its addresses. */
const localhostOf = (addresses: string[]) => (host: string, options: dns.LookupAllOptions, found: Found) => {
  if (host !== 'localhost') lookUp(host, options, found);
  else
    found(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
};
