import { jest } from '@jest/globals';
import { QueueErrorLog } from './queue-error-log.js';

const error = jest.fn();
let log: QueueErrorLog;
beforeEach(() => {
  error.mockClear();
  log = new QueueErrorLog({ error });
});
afterEach(() => jest.restoreAllMocks());

it('logs the class and the code of the root cause, but no message', () => {
  const cause = Object.assign(new TypeError('row value'), { code: 'ECONNREFUSED' });
  log.log(new Error('row value', { cause }));
  expect(error.mock.calls).toEqual([[{ error: 'TypeError', code: 'ECONNREFUSED', errors: 1 }, 'queue error']]);
});

it('reads the class of a copy, as the workers of pg-boss pass it', () => {
  const thrown = Object.assign(new RangeError('row value'), { code: '57P03' });
  log.log({ ...thrown, message: thrown.message, stack: thrown.stack! });
  expect(error.mock.calls).toEqual([[{ error: 'RangeError', code: '57P03', errors: 1 }, 'queue error']]);
});

it('logs the first error, and then one in 30 seconds with the number of errors', () => {
  const now = jest.spyOn(performance, 'now');
  for (const [seconds, count] of [
    [0, 1],
    [1, 100],
    [29, 1],
    [31, 1],
    [32, 1],
  ] as const) {
    now.mockReturnValue(seconds * 1_000);
    for (let index = 0; index < count; index += 1) log.log(new Error('down'));
  }
  expect(error.mock.calls.map(([entry]) => (entry as { errors: number }).errors)).toEqual([1, 102]);
});
