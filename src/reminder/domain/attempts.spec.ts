import { computeDeliveryDeadline, getNextAttemptNumber, computeRetryTime, wasAttempted } from './attempts.js';
import type { HistoryEntry } from './reminder-history.js';

const now = Temporal.Instant.from('2027-03-21T09:30:00Z');
const createHistory = (...entries: Partial<HistoryEntry>[]) =>
  entries.map((entry): HistoryEntry => ({ at: now.toString(), what: 'QUEUED', ...entry }));
const failed = (attempt: number) => ({ what: 'FAILED' as const, attempt });

describe('the number of the next attempt', () => {
  it.each<[history: HistoryEntry[], attempt: number]>([
    [createHistory(), 1],
    [createHistory({}), 1],
    [createHistory({}, failed(1)), 2],
    [createHistory({}, failed(11), {}), 12],
    [createHistory({}, failed(3), { what: 'REDRIVEN' }), 1],
    [createHistory({}, failed(3), { what: 'MOVED' }, {}, failed(1)), 2],
    [createHistory({}, failed(3), { what: 'RESTORED' }, {}), 1],
  ])('%#', (history, attempt) => expect(getNextAttemptNumber({ history, recipientKind: 'CLIENT' })).toBe(attempt));

  it('counts for the present recipient', () => {
    const history = createHistory({}, failed(3), { what: 'HANDED_OVER' }, {});
    expect(getNextAttemptNumber({ history, recipientKind: 'CARE_PROVIDER' })).toBe(1);
    // The Client is the recipient as before.
    expect(getNextAttemptNumber({ history, recipientKind: 'CLIENT' })).toBe(4);
  });
});

describe('whether a channel has refused the reminder', () => {
  it.each<[history: HistoryEntry[], attempted: boolean]>([
    [createHistory({}), false],
    [createHistory({}, failed(1)), true],
    [createHistory({}, { what: 'DEFERRED', reason: 'CHANNEL_BUSY' }), true],
    [createHistory({}, { what: 'DEFERRED', reason: 'QUIET_HOURS' }), false],
    [createHistory({}, failed(1), { what: 'MOVED' }, {}), false],
  ])('%#', (history, attempted) => expect(wasAttempted({ history, recipientKind: 'CLIENT' })).toBe(attempted));

  it('counts for the present recipient', () => {
    const history = createHistory({}, failed(3), { what: 'HANDED_OVER' }, {});
    expect(wasAttempted({ history, recipientKind: 'CARE_PROVIDER' })).toBe(false);
    expect(wasAttempted({ history, recipientKind: 'CLIENT' })).toBe(true);
  });
});

describe('the retry time', () => {
  it('has a delay that doubles, up to ten minutes', () => {
    const pauses = [1, 2, 3, 7, 8, 100].map((attempt) => computeRetryTime(attempt, now).since(now).total('seconds'));
    expect(pauses).toEqual([5, 10, 20, 320, 600, 600]);
  });

  it('is not later than the deadline', () => {
    const due = { dueAt: now.subtract({ hours: 24 }).add({ seconds: 30 }), notAfter: null, redrivenAt: null };
    const latest = computeDeliveryDeadline(due, Temporal.Duration.from('PT24H'));
    expect(computeRetryTime(8, now, latest).since(now).total('seconds')).toBe(31);
    expect(computeRetryTime(1, now, latest).since(now).total('seconds')).toBe(5);
  });

  it('has the usual delay after the deadline, which quiet hours can extend', () => {
    expect(
      computeRetryTime(3, now, now.subtract({ hours: 1 }))
        .since(now)
        .total('seconds'),
    ).toBe(20);
  });

  it('has a deadline that counts from the redrive', () => {
    const due = { dueAt: now.subtract({ hours: 72 }), notAfter: null, redrivenAt: now };
    expect(computeDeliveryDeadline(due, Temporal.Duration.from('PT24H')).since(now).total('hours')).toBe(24);
  });
});
