import type { RequestActivity } from '../../instance/index.js';
import { DeliveryPacer, MAX_TURN_WAIT_MS } from './delivery-pacer.js';

/** Creates a `DeliveryPacer` with a stub of `RequestActivity`, of which it calls only `isServing`. */
function paceOf(isServing: () => boolean): DeliveryPacer {
  return new DeliveryPacer({ isServing: async () => isServing() } as unknown as RequestActivity);
}

type Turn = { end: PromiseWithResolvers<undefined>; isPaced: boolean };

/** Starts a turn that lasts until the test ends it, and adds the turn to `begun`. */
function start(pace: DeliveryPacer, begun: Turn[]): Promise<void> {
  return pace.run(async (isPaced) => {
    const turn = { end: Promise.withResolvers<undefined>(), isPaced };
    begun.push(turn);
    await turn.end.promise;
  });
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

it('runs all work at once while no requests are served', async () => {
  const begun: Turn[] = [];
  const pace = paceOf(() => false);
  const all = Promise.all([start(pace, begun), start(pace, begun), start(pace, begun)]);
  await settle();
  expect(begun.map(({ isPaced }) => isPaced)).toEqual([false, false, false]);
  for (const { end } of begun) end.resolve(undefined);
  await all;
});

it('runs one turn after another while requests are served, and rests between them', async () => {
  const times: { from: number; to: number }[] = [];
  const pace = paceOf(() => true);
  const work = async (isPaced: boolean) => {
    expect(isPaced).toBe(true);
    const from = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 15));
    times.push({ from, to: performance.now() });
  };
  await Promise.all([pace.run(work), pace.run(work), pace.run(work)]);
  expect(times).toHaveLength(3);
  for (const [index, { from }] of times.entries()) {
    if (index === 0) continue;
    const before = times[index - 1]!;
    // The rest is four times as long as the turn, but at most four times `MAX_TURN_WAIT_MS`, which a turn can exceed on a
    // busy machine. Node timers may fire a millisecond early, so the test requires only three times the length.
    expect(from - before.to).toBeGreaterThan(3 * Math.min(before.to - before.from, MAX_TURN_WAIT_MS));
  }
});

it('starts the next turn while another one waits for its channel', async () => {
  const begun: Turn[] = [];
  const pace = paceOf(() => true);
  const slow = start(pace, begun);
  await pace.run(async () => undefined);
  expect(begun).toHaveLength(1);
  begun[0]!.end.resolve(undefined);
  await slow;
});

it('rejects with the error of the work, and continues', async () => {
  const pace = paceOf(() => true);
  await expect(pace.run(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  await expect(pace.run(async () => 'next')).resolves.toBe('next');
});

it('neither rests nor waits for turns after the service has begun to stop', async () => {
  const begun: Turn[] = [];
  const pace = paceOf(() => true);
  const before = start(pace, begun);
  await settle();
  pace.release();
  const after = [start(pace, begun), start(pace, begun)];
  await settle();
  expect(begun.map(({ isPaced }) => isPaced)).toEqual([true, false, false]);
  for (const { end } of begun) end.resolve(undefined);
  await Promise.all([before, ...after]);
});
