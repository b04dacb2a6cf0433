import { jest } from '@jest/globals';
import { sql } from 'kysely';
import { measureEventLoopCpu } from '../support/app/event-loop-cpu.js';
import { TestApp, type TestResponse } from '../support/app/test-app.js';

/*
 * Tests delays of the event loop, on PostgreSQL only: the embedded database itself runs on the event loop, so a delay
 * there does not mean overload.
 */

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await TestApp.start();
  token = (await app.createClinic()).clinicToken;
});
afterAll(() => app.stop());

const list = () => app.call('GET', '/gateway/profile/clinic/design-plan', { token });

it('rejects requests while the event loop is delayed, and accepts them afterwards', async () => {
  const jam = setInterval(() => spin(1_100), 0);
  let probe: TestResponse | undefined;
  // The requests are sent at the same time, because each iteration of the event loop takes long.
  const refused = await firstOf(async () => {
    const answers = await Promise.all([list(), app.call('GET', '/health/live')]);
    probe = answers[1];
    return answers[0];
  }, 503);
  clearInterval(jam);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(refused.body).toMatchObject({ type: 'urn:problem:service-unavailable', status: 503 });
  expect(probe?.status).toBe(200);
  expect((await firstOf(() => list(), 200)).status).toBe(200);
});

it('lets other requests run while a search folds long names', async () => {
  const { clinicId, clinicToken } = await app.createClinic();
  // Folding makes 18 letters of this one.
  const name = '\ufdfa'.repeat(200);
  await app.queryRows(sql`
    insert into client (clinic_id, name, active, created_at)
    select ${clinicId}, ${name}, true, now() from generate_series(1, 5000)`);
  // Counts the names that are folded in one iteration of the event loop.
  const normalize = jest.spyOn(String.prototype, 'normalize');
  let folded = 0;
  let mostAtOnce = 0;
  const count = (): void => {
    mostAtOnce = Math.max(mostAtOnce, normalize.mock.calls.length - folded);
    folded = normalize.mock.calls.length;
  };
  const timer = setInterval(count, 0);
  const { result, longest, total } = await measureEventLoopCpu(() =>
    app.call('GET', '/gateway/profile/clinic/client?sort=name&limit=1', { token: clinicToken }),
  );
  clearInterval(timer);
  count();
  normalize.mockRestore();
  expect(result.status).toBe(200);
  expect(longest).toBeLessThan(total / 3);
  expect(folded).toBeGreaterThanOrEqual(5_000);
  expect(mostAtOnce).toBeLessThanOrEqual(200);
});

/** Blocks the event loop for the given time. */
function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** Repeats a request until its status is as expected, for at most 30 s. */
async function firstOf(call: () => Promise<TestResponse>, status: number): Promise<TestResponse> {
  const deadline = performance.now() + 30_000;
  let answer = await call();
  while (answer.status !== status && performance.now() < deadline) answer = await call();
  return answer;
}
