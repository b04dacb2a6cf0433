import { EntityManager } from '@mikro-orm/core';
import { sql } from 'kysely';
import { InstanceHeartbeat, RequestActivity } from '../../src/instance/index.js';
import { CorrectedClock } from '../../src/shared/time/index.js';
import { TestApp, waitFor } from '../support/app/test-app.js';

/*
 * Tests how an instance learns that another instance is serving requests, in which case it delivers reminders more
 * slowly.
 */

let app: TestApp;
/** Uses the production clock, because nothing is paced with a test clock. */
let activity: RequestActivity;
beforeEach(async () => {
  app = await TestApp.start();
  const { nest } = app;
  activity = new RequestActivity(nest.get(EntityManager), nest.get(InstanceHeartbeat), new CorrectedClock());
});
afterEach(() => app.stop());

/** Inserts an instance that served its last request some seconds ago. */
const addInstance = (seconds: number) =>
  app.queryRows(sql`
    insert into instance (id, release, clock_offset_ms, zone_data_version, started_at, last_seen, serving_at)
    values (gen_random_uuid(), '1', 0, '2026c', now(), now(), now() - interval '1 second' * ${seconds})`);

it('does not count an instance whose last request was more than 10 seconds ago', async () => {
  await addInstance(11);
  expect(await activity.isServing()).toBe(false);
});

it('counts another instance that has served a request', async () => {
  await addInstance(1);
  expect(await activity.isServing()).toBe(true);
});

it('publishes the first request of this instance at once', async () => {
  const response = await app.call('GET', '/gateway/profile/clinic/client', {
    token: (await app.createClinic()).clinicToken,
  });
  expect(response.status).toBe(200);
  expect(await activity.isServing()).toBe(true);
  const published = () =>
    app.queryRows(sql<{ serves: boolean }>`select serving_at is not null as serves from instance`);
  await waitFor(async () => (await published())[0]!.serves);
});

it('keeps the last answer while the database cannot be read', async () => {
  await addInstance(1);
  expect(await activity.isServing()).toBe(true);
  await app.queryRows(sql`alter table instance rename to hidden_instance`);
  // Waits longer than the shortest interval between two lookups, so that the next lookup reads the database and fails.
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(await activity.isServing()).toBe(true);
});
