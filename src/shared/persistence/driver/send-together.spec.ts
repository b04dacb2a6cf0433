import { setImmediate as nextTurn } from 'node:timers/promises';
import { sendTogether } from './send-together.js';

/* Without a transaction that sends statements together, each query begins when the previous one has ended. */

it('runs queries one after another, and returns their results in order', async () => {
  const events: string[] = [];
  const query = (name: string) => async () => {
    events.push(`${name} begins`);
    await nextTurn();
    events.push(`${name} ends`);
    return name;
  };
  expect(await sendTogether([query('first'), query('second')])).toEqual(['first', 'second']);
  expect(events).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
});

it('does not begin the queries after one that has failed', async () => {
  let hasBegun = false;
  const failing = () => Promise.reject(new Error('failed'));
  const next = () => Promise.resolve((hasBegun = true));
  await expect(sendTogether([failing, next])).rejects.toThrow('failed');
  expect(hasBegun).toBe(false);
});

it('rejects if a query throws before it returns a promise', async () => {
  const throwing = (): Promise<never> => {
    throw new Error('thrown');
  };
  await expect(sendTogether([throwing])).rejects.toThrow('thrown');
});

it('returns an empty list for no queries', async () => {
  expect(await sendTogether([])).toEqual([]);
});
