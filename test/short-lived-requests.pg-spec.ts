import type { IncomingMessage, Server } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { World } from './support/world.js';

/*
 * What a request is made of dies young: V8 collects the young many times a second, and pays for those that live. One
 * function that is made among what lives long, and knows the request, is enough to keep all of it until the next full
 * collection, minutes later.
 */

const PATH = '/gateway/profile/caregiver/session';
const REQUESTS = 30;
/** A connection knows its last request. */
const CONNECTIONS = 3;
/** Who lives through two of them is among what lives long. */
const COLLECTIONS = 3;

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

it.each(['GET', 'POST'])('nothing keeps what a %s request was made of', async (method) => {
  const { clientIds, careProviderToken: token } = await world.clinic();
  const body = { clientId: clientIds[0], title: 'Hello', date: '2027/03/01', time: '09:30' };
  const requests: WeakRef<IncomingMessage>[] = [];
  const server: Server = world.app.getHttpServer();
  const remember = (request: IncomingMessage) => void requests.push(new WeakRef(request));
  server.on('request', remember);
  for (let made = 0; made < REQUESTS; made += 1) {
    const answer = await world.call(method, PATH, { token, ...(method === 'POST' ? { body } : {}) });
    expect(answer.status).toBe(method === 'POST' ? 201 : 200);
  }
  server.off('request', remember);
  await collectTheYoung();
  expect(requests).toHaveLength(REQUESTS);
  expect(requests.filter((request) => request.deref() !== undefined).length).toBeLessThanOrEqual(CONNECTIONS);
});

async function collectTheYoung(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
  for (let done = 0; done < COLLECTIONS; done += 1) {
    // What was asked for in this turn lives until it ends.
    await turn();
    collect({ type: 'minor' });
  }
}
