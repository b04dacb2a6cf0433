import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { TestClock } from '../../test/support/app/test-clock.js';
import { Scheduler } from './scheduler.js';

const clock = new TestClock();
const error = jest.fn<(line: object, message: string) => void>();
let scheduler: Scheduler;
beforeEach(() => {
  // Starts at a whole minute, so the cron expressions below run at predictable times.
  jest.useFakeTimers({ now: Temporal.Instant.from('2026-11-23T10:00:00Z').epochMilliseconds });
  jest.spyOn(Temporal.Now, 'instant').mockImplementation(() => Temporal.Instant.fromEpochMilliseconds(Date.now()));
  jest.spyOn(Logger.prototype, 'error').mockImplementation(error);
  error.mockReset();
  scheduler = new Scheduler(new SchedulerRegistry(), clock);
});
afterEach(async () => {
  await scheduler.stop();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const later = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);
const work = () => jest.fn<() => Promise<void>>().mockResolvedValue();
/** Creates a job whose runs last until `end` is called. */
function longWork() {
  const ends: (() => void)[] = [];
  const run = jest.fn(() => new Promise<void>((resolve) => void ends.push(resolve)));
  return { run, end: () => ends.shift()!() };
}

it('runs jobs by cron expression and by interval, and lists both', async () => {
  const [cron, every] = [work(), work()];
  scheduler.register({ name: 'cron', cron: '*/5 * * * * *', run: cron });
  scheduler.register({ name: 'every', every: 2_000, run: every });
  await later(10);
  expect([cron, every].map((run) => run.mock.calls.length)).toEqual([2, 5]);
  expect(scheduler.listJobStatuses().map(({ name, successes }) => [name, successes])).toEqual([
    ['cron', 2],
    ['every', 5],
  ]);
  expect(() => scheduler.register({ name: 'cron', every: 1, run: work() })).toThrow(
    'There is a job named cron already',
  );
  await expect(async () => scheduler.run('none')).rejects.toThrow('There is no job named none');
});

it('runs a job at registration if it has runsAtStart', async () => {
  const run = work();
  scheduler.register({ name: 'job', cron: '0 0 0 1 1 *', run, runsAtStart: true });
  await later(0);
  expect(run).toHaveBeenCalledTimes(1);
});

it('does not start a second run of a job; run() waits for the current one', async () => {
  const { run, end } = longWork();
  scheduler.register({ name: 'job', every: 1_000, run });
  await later(5);
  expect(run).toHaveBeenCalledTimes(1);
  let hasEnded = false;
  const waiting = scheduler.run('job').then(() => (hasEnded = true));
  await later(0);
  expect([hasEnded, scheduler.listJobStatuses()[0]!.isRunning]).toEqual([false, true]);
  end();
  await waiting;
  expect([run.mock.calls.length, scheduler.listJobStatuses()[0]!.isRunning]).toEqual([1, false]);
  await later(1);
  expect(run).toHaveBeenCalledTimes(2);
  end();
});

it('runIfStarted() repeats the current run once, however often it is called, and even if that run fails', async () => {
  const { run, end } = longWork();
  scheduler.register({ name: 'job', cron: '0 0 0 1 1 *', run });
  scheduler.runIfStarted('job');
  expect(run).toHaveBeenCalledTimes(1);
  scheduler.runIfStarted('job');
  scheduler.runIfStarted('job');
  end();
  await later(0);
  expect([run.mock.calls.length, scheduler.listJobStatuses()[0]!.isRunning]).toEqual([2, true]);
  end();
  await later(0);
  expect([run.mock.calls.length, scheduler.listJobStatuses()[0]!.isRunning]).toEqual([2, false]);
  run.mockImplementationOnce(() => Promise.reject(new Error('x')));
  scheduler.runIfStarted('job');
  scheduler.runIfStarted('job');
  await later(0);
  expect([run.mock.calls.length, error.mock.calls.length]).toEqual([4, 1]);
  end();
  await later(0);
  expect(scheduler.listJobStatuses()[0]).toMatchObject({ isRunning: false, successes: 3, failures: 1 });
});

// One of these moments is that at which the first run has ended.
it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'runIfStarted() starts another run %i microtasks after the work of the current one has ended',
  async (count) => {
    const { run, end } = longWork();
    scheduler.register({ name: 'job', cron: '0 0 0 1 1 *', run });
    scheduler.runIfStarted('job');
    end();
    for (let microtask = 0; microtask < count; microtask += 1) await Promise.resolve();
    scheduler.runIfStarted('job');
    await later(0);
    expect(run).toHaveBeenCalledTimes(2);
    end();
  },
);

it('run() waits for the repeated run as well', async () => {
  const { run, end } = longWork();
  scheduler.register({ name: 'job', cron: '0 0 0 1 1 *', run });
  let hasEnded = false;
  const waiting = scheduler.run('job').then(() => (hasEnded = true));
  scheduler.runIfStarted('job');
  end();
  await later(0);
  expect([run.mock.calls.length, hasEnded]).toEqual([2, false]);
  end();
  await waiting;
});

it.each([
  ['the job is being stopped', () => scheduler.stop('job')],
  [
    'the clock has become unreliable',
    () => Promise.resolve(void jest.spyOn(clock, 'isReliable', 'get').mockReturnValue(false)),
  ],
])('runIfStarted() does not repeat the run if %s', async (_case, prevent) => {
  const { run, end } = longWork();
  scheduler.register({ name: 'job', cron: '0 0 0 1 1 *', run });
  scheduler.runIfStarted('job');
  scheduler.runIfStarted('job');
  const prevented = prevent();
  scheduler.runIfStarted('job');
  end();
  await prevented;
  await later(0);
  expect([run.mock.calls.length, scheduler.listJobStatuses()[0]!.isRunning]).toEqual([1, false]);
});

it('measures start, success, duration and failures', async () => {
  const { run, end } = longWork();
  scheduler.register({ name: 'job', every: 60_000, run });
  const [status] = scheduler.listJobStatuses();
  expect(status).toEqual({
    name: 'job',
    isRunning: false,
    silenceSeconds: 0,
    successes: 0,
    failures: 0,
    isStalled: false,
  });
  const began = clock.now();
  const waiting = scheduler.run('job');
  clock.advance({ seconds: 3 });
  await later(3);
  end();
  await waiting;
  const [measured] = scheduler.listJobStatuses();
  expect(measured).toMatchObject({ isRunning: false, successes: 1, failures: 0, lastDurationSeconds: 3 });
  expect([measured!.lastStart, measured!.lastSuccess]).toEqual([began, clock.now()]);
  run.mockRejectedValueOnce(new Error('x'));
  clock.advance({ seconds: 1 });
  await scheduler.run('job');
  expect(scheduler.listJobStatuses()[0]).toMatchObject({ successes: 1, failures: 1, lastDurationSeconds: 0 });
  expect(scheduler.listJobStatuses()[0]!.lastSuccess).toEqual(measured!.lastSuccess);
});

it('logs failures without their message, the first at once and further ones once a minute', async () => {
  const failure = Object.assign(new TypeError('Jane Doe, 1 Main Street'), { code: '23505' });
  const run = work().mockRejectedValue(failure);
  scheduler.register({ name: 'job', every: 1_000, run });
  await later(1);
  expect(error.mock.calls).toEqual([
    [{ job: 'job', error: 'TypeError', code: '23505', failuresInARow: 1 }, 'a job failed'],
  ]);
  await later(59);
  expect(error).toHaveBeenCalledTimes(1);
  await later(1);
  expect(error.mock.calls[1]).toEqual([expect.objectContaining({ failuresInARow: 61 }), 'a job failed']);
  run.mockResolvedValueOnce().mockRejectedValue('text');
  await later(2);
  expect(error.mock.calls[2]).toEqual([{ job: 'job', error: 'string', failuresInARow: 1 }, 'a job failed']);
});

it('stop() starts no further run and waits for the current one, even if another hook has stopped the timers', async () => {
  const registry = new SchedulerRegistry();
  scheduler = new Scheduler(registry, clock);
  const { run, end } = longWork();
  const other = work();
  scheduler.register({ name: 'job', cron: '* * * * * *', run });
  scheduler.register({ name: 'other', every: 1_000, run: other });
  await later(1);
  // @nestjs/schedule does this in its own shutdown hook, which may run before the Scheduler's hook.
  registry.deleteCronJob('job');
  let hasStopped = false;
  const stopped = scheduler.stop('job', 'not registered').then(() => (hasStopped = true));
  await later(3);
  expect([hasStopped, run.mock.calls.length, other.mock.calls.length]).toEqual([false, 1, 4]);
  end();
  await stopped;
  await scheduler.beforeApplicationShutdown();
  await later(5);
  expect([run.mock.calls.length, other.mock.calls.length]).toEqual([1, 4]);
  scheduler.start();
  scheduler.start('job');
  await later(1);
  expect([run.mock.calls.length, other.mock.calls.length]).toEqual([2, 5]);
  end();
});

it('stop() ends a run that reports progress, which is neither a success nor a failure; the next run continues', async () => {
  let batches = 0;
  const run = async (reportProgress: () => void) => {
    for (let batch = 0; batch < 10; batch += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      batches += 1;
      reportProgress();
    }
  };
  scheduler.register({ name: 'job', cron: '0 0 0 1 1 *', run, runsAtStart: true });
  await later(2.5);
  const stopped = scheduler.stop('job');
  await later(1);
  await stopped;
  expect(batches).toBe(3);
  const ended = { isRunning: false, successes: 0, failures: 0, lastDurationSeconds: 3 };
  expect(scheduler.listJobStatuses()[0]).toMatchObject(ended);
  expect(error).not.toHaveBeenCalled();
  const again = scheduler.run('job');
  await later(10);
  await again;
  expect([batches, scheduler.listJobStatuses()[0]!.successes]).toEqual([13, 1]);
});

it.each([
  ['every 5 s, after 60 s', '*/5 * * * * *', '2026-11-23T10:01:00Z'],
  ['every 30 s, after 90 s', '*/30 * * * * *', '2026-11-23T10:01:30Z'],
  ['twice a day, at the third run', '0 0,1 10 * * *', '2026-11-24T10:01:00Z'],
  ['once a year, at the third run', '0 0 0 1 1 *', '2029-01-01T00:00:00Z'],
])('is stalled after the longer of 60 s and three intervals: %s', async (_case, cron, lastAllowed) => {
  const run = work().mockRejectedValue(new Error('x'));
  scheduler.register({ name: 'vital', cron, run, isVital: true });
  scheduler.register({ name: 'other', cron, run });
  const stalled = () => scheduler.listJobStatuses().flatMap(({ isStalled, name }) => (isStalled ? [name] : []));
  await scheduler.stop();
  jest.advanceTimersByTime(Temporal.Now.instant().until(lastAllowed).total('milliseconds'));
  expect(stalled()).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(stalled()).toEqual(['vital']);
  run.mockResolvedValue();
  await scheduler.run('vital');
  expect(stalled()).toEqual([]);
});

it('has the time to the third run after the last progress', async () => {
  scheduler.register({ name: 'cron', cron: '0 */15 9,10 * * *', run: work() });
  scheduler.register({ name: 'every', every: 2_000, run: work() });
  scheduler.register({ name: 'rare', cron: '0 0 0 29 2 *', run: work() });
  const list = () => Object.fromEntries(scheduler.listThreeIntervalsMs());
  await later(1);
  expect(list()).toEqual({ cron: 45 * 60_000, every: 6_000, rare: Infinity });
  await later(30 * 60);
  // 10:45, and 9:00 and 9:15 on the next day.
  expect(list()).toEqual({ cron: (22 * 60 + 45) * 60_000, every: 6_000, rare: Infinity });
});

it('counts reported progress of a long run', async () => {
  let progress!: () => void;
  let end!: () => void;
  scheduler.register({
    name: 'vital',
    every: 5_000,
    isVital: true,
    run: (report) => {
      progress = report;
      return new Promise<void>((resolve) => (end = resolve));
    },
  });
  await later(50);
  progress();
  await later(59);
  expect(scheduler.listJobStatuses()[0]!.isStalled).toBe(false);
  expect(scheduler.listJobStatuses()[0]!.silenceSeconds).toBe(59);
  await later(2);
  expect(scheduler.listJobStatuses()[0]!.isStalled).toBe(true);
  end();
  await later(0);
  expect(scheduler.listJobStatuses()[0]).toMatchObject({ isStalled: false, silenceSeconds: 0 });
});
