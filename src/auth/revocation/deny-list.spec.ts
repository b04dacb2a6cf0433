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

/** Rows without these values were revoked now, and have an ID of 0. */
type Row = { jti: string; expiresAt: Temporal.Instant; id?: number; is_old?: boolean };
let table: Row[];
/** Mocks reading the table. */
const find = jest.fn<(statement: string, values: [number]) => Promise<Pick<Row, 'jti' | 'id' | 'is_old'>[]>>();
async function nativeDelete(_: object, { expiresAt: { $lt: end } }: { expiresAt: { $lt: Temporal.Instant } }) {
  const before = table.length;
  table = table.filter(({ expiresAt }) => Temporal.Instant.compare(expiresAt, end) >= 0);
  return before - table.length;
}

const clock = new TestClock();
/** Creates tokens that expire in an hour. */
const tokens = (...names: string[]) => names.map((jti) => ({ jti, expiresAt: clock.now().add({ hours: 1 }) }));
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
  cutoffs.isRevoked.mockReset().mockReturnValue(false);
  find.mockReset().mockImplementation(async (_, [fromId]) => table.filter(({ id = 0 }) => id >= fromId));
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

it('contains the rows of the table, and reads them again after the interval', async () => {
  table = tokens('first');
  await denyList.onApplicationBootstrap();
  expect([has('first'), has('second')]).toEqual([true, false]);
  table = tokens('second');
  await later(INTERVAL - 1);
  expect([has('first'), has('second')]).toEqual([true, false]);
  await later(1);
  expect([has('first'), has('second')]).toEqual([false, true]);
  expect(find).toHaveBeenCalledTimes(2);
});

it('tolerates ten failed reads, and not a millisecond more', async () => {
  await denyList.onApplicationBootstrap();
  fails();
  await later(TRUSTED);
  expect(unknown()).toBe(false);
  await later(1);
  expect(unknown()).toBe(true);
  find.mockResolvedValue([]);
  await later(INTERVAL);
  expect(unknown()).toBe(false);
});

it('measures its age from the start of a read', async () => {
  let answer!: (found: []) => void;
  find.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  const started = denyList.onApplicationBootstrap();
  await later(TRUSTED);
  answer([]);
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

it('drops an added id once the table contains it', async () => {
  await denyList.onApplicationBootstrap();
  denyList.add('told');
  denyList.add('not there');
  table = tokens('told');
  await denyList.reload();
  table = [];
  await denyList.reload();
  expect([has('told'), has('not there')]).toEqual([false, true]);
});

it('keeps an id that was added during a read', async () => {
  let answer!: (found: { jti: string }[]) => void;
  find.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  const reading = denyList.reload();
  denyList.add('told');
  answer([{ jti: 'told' }]);
  await reading;
  await denyList.reload();
  expect(has('told')).toBe(true);
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
  find.mockResolvedValue([]);
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

describe('a list of many old revocations', () => {
  const row = (id: number, is_old: boolean) => ({ ...tokens(`${id}`)[0]!, id, is_old });
  const rowsRead = async () => (await (find.mock.results.at(-1)!.value as ReturnType<typeof find>)).length;
  beforeEach(async () => {
    table = [...Array.from({ length: 1_000 }, (_, index) => row(index + 1, true)), row(1_003, false)];
    await denyList.reload();
  });

  it('is read from the last one that no other can precede', async () => {
    expect([await rowsRead(), denyList.size.tokens]).toEqual([1_001, 1_001]);
    // The transaction of a lower ID has committed later.
    table.splice(1_000, 0, row(1_002, false));
    await denyList.reload();
    expect(await rowsRead()).toBe(3);
    expect([1, 1_000, 1_001, 1_002, 1_003].map((id) => has(`${id}`))).toEqual([true, true, false, true, true]);
  });

  it('is read from a new row ten minutes after it appeared, although an imported revocation is older', async () => {
    table.push(row(1_005, true));
    await denyList.reload();
    table.splice(-1, 0, row(1_004, false));
    await denyList.reload();
    expect([await rowsRead(), has('1004'), has('1005')]).toEqual([4, true, true]);
    jest.advanceTimersByTime(600_000);
    for (const rows of [4, 1]) {
      await denyList.reload();
      expect(await rowsRead()).toBe(rows);
    }
    expect(denyList.size.tokens).toBe(1_003);
  });

  it('is read as a whole if that row is missing, and once an hour', async () => {
    table.splice(999, 1);
    await denyList.reload();
    expect([await rowsRead(), has('1000')]).toEqual([1_000, false]);
    table.splice(0, 1);
    await denyList.reload();
    expect([await rowsRead(), has('1')]).toEqual([2, true]);
    jest.advanceTimersByTime(3_600_000);
    await denyList.reload();
    expect([await rowsRead(), has('1')]).toEqual([999, false]);
  });
});

it('deletes only expired rows', async () => {
  const now = clock.now();
  const ends = [now.subtract({ milliseconds: 1 }), now, now.add({ milliseconds: 1 })];
  table = ends.map((expiresAt, index) => ({ jti: `${index}`, expiresAt }));
  expect(await denyList.deleteExpired()).toBe(1);
  expect(table.map(({ jti }) => jti)).toEqual(['1', '2']);
  clock.advance({ seconds: 1 });
  await denyList.onApplicationBootstrap();
  await scheduler.run('revoked-tokens-clean-up');
  expect(table).toEqual([]);
});
