import type pg from 'pg';
import { connectAsOwner } from '../support/database/owner-connection.js';
import { interceptStatements } from '../support/database/statement-interceptor.js';
import { TestApp } from '../support/app/test-app.js';

/* Tests pool connections that the server closes before or during a transaction. */

const SESSIONS = '/gateway/profile/caregiver/session';

let app: TestApp;
let server: pg.Client;
beforeAll(async () => {
  app = await TestApp.start();
  server = await connectAsOwner(app.environment.database);
});
afterAll(async () => {
  await server.end();
  await app.stop();
});

const terminate = (state: string) =>
  server.query(`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = 'scheduling_app' and state = '${state}'`);

it.each([
  ['before they begin one', 1, { before: () => terminate('idle') }],
  ['in the middle of a transaction', 2, { after: () => terminate('idle in transaction') }],
])('the service continues after more connections are lost %s than the pool has', async (_when, at, terminating) => {
  const { careProviderToken: token } = await app.createClinic();
  for (let lost = 0; lost < 12; lost += 1) {
    let statements = 0;
    const [[moment, lose]] = Object.entries(terminating) as [[string, () => Promise<unknown>]];
    const untap = await interceptStatements(app, {
      [moment]: async (statement: string) => {
        // Statements of the queue are ignored, because it polls on its own connections.
        if (statement.includes('pgboss')) return;
        statements += 1;
        if (statements === at) await lose();
      },
    });
    const answer = await app.call('GET', SESSIONS, { token });
    untap();
    expect([lost, answer.status, answer.body.type]).toEqual([lost, 503, 'urn:problem:service-unavailable']);
  }
  expect((await app.call('GET', SESSIONS, { token })).status).toBe(200);
});
