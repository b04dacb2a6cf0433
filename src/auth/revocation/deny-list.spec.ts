import { jest } from '@jest/globals';
import { Logger, ServiceUnavailableException } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { testEnvironment } from '../../../test/support/app/test-environment.js';
import { TestClock } from '../../../test/support/app/test-clock.js';
import { Scheduler } from '../../scheduler/index.js';
import { DenyList } from './deny-list.js';
import type { TokenHolderCutoffs } from './token-holder-cutoffs.js';

/* Tests time limits to the millisecond with a fake table. test/auth/revoked-token uses the real table. */

const INTERVAL = 2_000;
/** Maximum age of the last successful read: ten reads may fail. */
const TRUSTED = 11 * INTERVAL;

/** `changedIn`: the transaction that added the row. */
type Row = { jti: string; expiresAt: Temporal.Instant; changedIn: number };
let table: Row[];
/** The oldest transaction that may still commit. */
let horizon: number;
/** When the server was started. */
let server: string;
/** Mocks reading the table. */
const find = jest.fn<(statement: string, since: [string]) => Promise<ReturnType<typeof toRows>>>();
const toRows = (...ids: (string | null)[]) => ids.map((jti) => ({ server, horizon: `${horizon}`, jti }));
async function nativeDelete(_: object, { expiresAt: { $lt: end } }: { expiresAt: { $lt: Temporal.Instant } }) {
  const before = table.length;
  table = table.filter(({ expiresAt }) => Temporal.Instant.compare(expiresAt, end) >= 0);
  return before - table.length;
}

const clock = new TestClock();
/** Creates tokens that expire in an hour, and were revoked in the current transaction. */
const tokens = (...names: string[]) =>
  names.map((jti) => ({ jti, expiresAt: clock.now().add({ hours: 1 }), changedIn: horizon }));
let scheduler: Scheduler;
let denyList: DenyList;
/** Mocks the list of revoked holders. */
const cutoffs = {
  isRevoked: jest.fn<TokenHolderCutoffs['isRevoked']>(),
  readChanges: jest.fn(async () => undefined),
  size: 0,
};
beforeEach(() => {
  jest.useFakeTimers();
  table = [];
  horizon = 100;
  server = 'primary';
  cutoffs.isRevoked.mockReset().mockReturnValue(false);
  find.mockReset().mockImplementation(async (_, [since]) => {
    const changed = table.filter(({ changedIn }) => changedIn >= Number(since)).map(({ jti }) => jti);
    return toRows(...(changed.length === 0 ? [null] : changed));
  });
  const token = { ...testEnvironment.token, revocationInterval: Temporal.Duration.from('PT2S') };
  const getConnection = () => ({ execute: find });
  const fork = { getConnection, transactional: (work: (em: object) => unknown) => work({ nativeDelete }) };
  const em = { config: {}, fork: () => fork } as unknown as ConstructorParameters<typeof DenyList>[1];
  jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  scheduler = new Scheduler(new SchedulerRegistry(), clock);
  denyList = new DenyList(
    { ...testEnvironment, token },
    em,
    clock,
    scheduler,
    cutoffs as unknown as TokenHolderCutoffs,
  );
});
afterEach(async () => {
  await scheduler.stop();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const has = (jti?: string) => denyList.isRevoked({ jti, issuedAt: 5, holderKeys: ['key'] });
const later = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);
const fails = () => find.mockRejectedValue(new Error('no table'));
const unknown = () => {
  try {
    has('whatever');
    return false;
  } catch (error) {
    return error instanceof ServiceUnavailableException;
  }
};

it('is unknown before the first read, whose failure prevents the start', async () => {
  expect(unknown()).toBe(true);
  fails();
  await expect(denyList.onApplicationBootstrap()).rejects.toThrow('no table');
});

it('contains the rows of the table, and reads new rows after the interval', async () => {
  table = tokens('first');
  await denyList.onApplicationBootstrap();
  expect([has('first'), has('second')]).toEqual([true, false]);
  table.push(...tokens('second'));
  await later(INTERVAL - 1);
  expect([has('first'), has('second')]).toEqual([true, false]);
  await later(1);
  expect([has('first'), has('second')]).toEqual([true, true]);
  expect(find).toHaveBeenCalledTimes(2);
});

it('tolerates ten failed reads, and not a millisecond more', async () => {
  await denyList.onApplicationBootstrap();
  fails();
  await later(TRUSTED);
  expect(unknown()).toBe(false);
  await later(1);
  expect(unknown()).toBe(true);
  find.mockResolvedValue(toRows(null));
  await later(INTERVAL);
  expect(unknown()).toBe(false);
});

it('measures its age from the start of a read', async () => {
  let answer!: (found: ReturnType<typeof toRows>) => void;
  find.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  const started = denyList.onApplicationBootstrap();
  await later(TRUSTED);
  answer(toRows(null));
  await started;
  fails();
  expect(unknown()).toBe(false);
  await later(1);
  expect(unknown()).toBe(true);
});

it('tells its age in seconds, and the number of its entries', async () => {
  table = tokens('first', 'second');
  await denyList.onApplicationBootstrap();
  denyList.add('third');
  cutoffs.size = 4;
  fails();
  await later(3 * INTERVAL);
  expect([denyList.ageSeconds, denyList.size]).toEqual([6, { tokens: 3, holders: 4 }]);
  cutoffs.size = 0;
});

it('does not find a token without an id, even if an empty id is revoked', async () => {
  table = tokens('undefined', '');
  await denyList.onApplicationBootstrap();
  expect(has()).toBe(false);
});

it('is read even while the clock is unreliable', async () => {
  const register = jest.spyOn(scheduler, 'register');
  await denyList.onApplicationBootstrap();
  expect(register.mock.calls.map(([{ name, runsWithUnreliableClock }]) => [name, runsWithUnreliableClock])).toEqual([
    ['revoked-tokens-read', true],
    ['revoked-tokens-clean-up', undefined],
  ]);
});

it('contains an added id at once, before it is in the table', async () => {
  await denyList.onApplicationBootstrap();
  denyList.add('told');
  expect(has('told')).toBe(true);
  await later(INTERVAL);
  expect(has('told')).toBe(true);
});

it('keeps what is added, and what is read, while it reads the whole table', async () => {
  await denyList.onApplicationBootstrap();
  let answer!: (found: ReturnType<typeof toRows>) => void;
  find.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  const cleaned = scheduler.run('revoked-tokens-clean-up');
  await later(0);
  denyList.add('told');
  table = tokens('read');
  await denyList.reload();
  answer(toRows(null));
  await cleaned;
  expect([has('told'), has('read')]).toEqual([true, true]);
});

it('contains the tokens of revoked holders, with and without an id', async () => {
  await denyList.onApplicationBootstrap();
  expect([has('first'), has()]).toEqual([false, false]);
  cutoffs.isRevoked.mockImplementation(([key], issuedAt) => key === 'key' && issuedAt === 5);
  expect([has('first'), has()]).toEqual([true, true]);
});

it('is unknown if the revoked holders cannot be read', async () => {
  cutoffs.readChanges.mockRejectedValueOnce(new Error('no table'));
  await expect(denyList.reload()).rejects.toThrow('no table');
  expect(unknown()).toBe(true);
});

it('shares a read between concurrent calls', async () => {
  await Promise.all([denyList.reload(), denyList.reload(), denyList.reload()]);
  expect(find).toHaveBeenCalledTimes(1);
  fails();
  await expect(denyList.reload()).rejects.toThrow('no table');
  find.mockResolvedValue(toRows(null));
  await denyList.reload();
  expect(find).toHaveBeenCalledTimes(3);
});

it('waits for the current read when the service stops', async () => {
  await denyList.onApplicationBootstrap();
  let fail!: (error: Error) => void;
  find.mockImplementation(() => new Promise((_, reject) => (fail = reject)));
  await later(INTERVAL);
  let hasStopped = false;
  const stopped = scheduler.stop().then(() => (hasStopped = true));
  await later(0);
  expect(hasStopped).toBe(false);
  fail(new Error('no table'));
  await stopped;
  await later(10 * INTERVAL);
  expect(find).toHaveBeenCalledTimes(2);
});

it('reads only the rows of transactions that had not ended at the last read', async () => {
  table = tokens('first');
  horizon = 90;
  await denyList.reload();
  table = tokens('late');
  horizon = 101;
  for (const since of ['90', '101']) {
    await denyList.reload();
    expect([find.mock.lastCall![1], has('first'), has('late')]).toEqual([[since], true, true]);
  }
});

it('reads everything from another database, and forgets rows which that one does not have', async () => {
  table = tokens('first');
  await denyList.reload();
  horizon = 50;
  table = tokens('second');
  await denyList.reload();
  expect(find.mock.calls.map(([, since]) => since)).toEqual([['0'], ['100'], ['0']]);
  expect([has('first'), has('second')]).toEqual([false, true]);
});

it('reads everything from a promoted replica that had lacked the last transactions', async () => {
  await denyList.reload();
  server = 'replica';
  horizon = 90;
  table = tokens('lower');
  horizon = 110;
  await denyList.reload();
  expect(has('lower')).toBe(true);
});

it('deletes only rows that expired a minute ago', async () => {
  const limit = clock.now().subtract({ minutes: 1 });
  const ends = [limit.subtract({ milliseconds: 1 }), limit, limit.add({ milliseconds: 1 })];
  table = ends.map((expiresAt, index) => ({ jti: `${index}`, expiresAt, changedIn: horizon }));
  expect(await denyList.deleteExpired()).toBe(1);
  expect(table.map(({ jti }) => jti)).toEqual(['1', '2']);
  clock.advance({ seconds: 1 });
  await denyList.onApplicationBootstrap();
  expect([has('1'), has('2')]).toEqual([true, true]);
  await scheduler.run('revoked-tokens-clean-up');
  expect([table, has('1'), has('2')]).toEqual([[], false, false]);
});
