import fc from 'fast-check';
import { findQuietHoursEnd, type QuietHours } from './timing/quiet-hours.js';
import { decideDelivery, type DeliveryDecision, type DeliveryPreference } from './delivery-decision.js';
import type { ReminderKind } from './reminder-kinds.js';

const NIGHT: QuietHours = { from: '21:00', to: '08:00' };
const DAY = Temporal.Duration.from('PT24H');

type Case = {
  why: string;
  zone?: string;
  quiet?: QuietHours;
  kind?: ReminderKind;
  optedOut?: ReminderKind[];
  maxLateness?: string;
  due: string;
  sendAt?: string;
  redriven?: string;
  start?: string;
  now: string;
};

/**
 * Returns the decision as one word or as an instant. `late` means that the message is sent and says that it is late.
 */
function decideCase(row: Case): string {
  const { kind = 'SESSION', optedOut = [], quiet = null, zone: timeZone = 'Europe/London', redriven } = row;
  const instant = (text: string) => Temporal.Instant.from(text);
  const sending = decideDelivery(
    {
      kind,
      dueAt: instant(row.due),
      sendAt: instant(row.sendAt ?? row.due),
      notAfter: row.start === undefined ? null : instant(row.start),
      redrivenAt: redriven === undefined ? null : instant(redriven),
    },
    { optedOut: new Set(optedOut), quietHours: quiet, timeZone },
    Temporal.Duration.from(row.maxLateness ?? 'PT24H'),
    instant(row.now),
  );
  return describeDecision(sending);
}

function describeDecision(sending: DeliveryDecision): string {
  if (sending.action === 'SKIP') return sending.reason;
  if (sending.action === 'DEFER') return sending.until.toString();
  return sending.isLate ? 'late' : 'sent';
}

// The expected instants were computed with an independent implementation of the time zone rules, Python's zoneinfo.
const QUIET: [expected: string, row: Case][] = [
  ['sent', { why: 'no quiet hours', due: '2027-01-15T23:00:00Z', now: '2027-01-15T23:00:00Z' }],
  ['sent', { why: 'before them', quiet: NIGHT, due: '2027-01-15T20:59:00Z', now: '2027-01-15T20:59:03Z' }],
  [
    '2027-01-16T08:00:00Z',
    { why: 'within them', quiet: NIGHT, due: '2027-01-15T23:00:00Z', now: '2027-01-15T23:00:00Z' },
  ],
  [
    '2027-01-16T08:00:00Z',
    { why: 'due before, looked at within', quiet: NIGHT, due: '2027-01-15T20:59:59Z', now: '2027-01-15T21:00:02Z' },
  ],
  ['sent', { why: 'at their end', quiet: NIGHT, due: '2027-01-15T23:00:00Z', now: '2027-01-16T08:00:00Z' }],
  [
    'sent',
    { why: 'a night later is not late', quiet: NIGHT, due: '2027-01-15T21:00:00Z', now: '2027-01-16T08:15:00Z' },
  ],
  [
    'late',
    { why: 'late only from their end on', quiet: NIGHT, due: '2027-01-15T21:00:00Z', now: '2027-01-16T08:15:01Z' },
  ],
  [
    '2027-03-28T07:00:00Z',
    { why: 'a night of an hour less', quiet: NIGHT, due: '2027-03-27T22:30:00Z', now: '2027-03-27T22:30:00Z' },
  ],
  [
    '2027-10-31T08:00:00Z',
    { why: 'a night of an hour more', quiet: NIGHT, due: '2027-10-30T20:30:00Z', now: '2027-10-30T20:30:00Z' },
  ],
  [
    '2027-01-15T16:00:00Z',
    {
      why: 'in the zone of the recipient',
      zone: 'America/Los_Angeles',
      quiet: NIGHT,
      due: '2027-01-15T09:30:00Z',
      now: '2027-01-15T09:30:00Z',
    },
  ],
  [
    '2027-10-02T21:00:00Z',
    {
      why: 'half an hour of daylight saving',
      zone: 'Australia/Lord_Howe',
      quiet: NIGHT,
      due: '2027-10-02T15:30:00Z',
      now: '2027-10-02T15:30:00Z',
    },
  ],
  [
    '2027-09-25T18:15:00Z',
    {
      why: 'in the gap of a zone 45 minutes off',
      zone: 'Pacific/Chatham',
      quiet: NIGHT,
      due: '2027-09-25T14:00:00Z',
      now: '2027-09-25T14:00:00Z',
    },
  ],
  [
    '2027-05-02T02:15:00Z',
    {
      why: 'without daylight saving',
      zone: 'Asia/Kathmandu',
      quiet: NIGHT,
      due: '2027-05-01T18:00:00Z',
      now: '2027-05-01T18:00:00Z',
    },
  ],
];

const LATENESS: [expected: string, row: Case][] = [
  [
    'sent',
    {
      why: 'before the start',
      due: '2027-03-01T10:00:00Z',
      start: '2027-03-01T10:05:00Z',
      now: '2027-03-01T10:04:59Z',
    },
  ],
  [
    'SESSION_STARTED',
    {
      why: 'once it has begun',
      due: '2027-03-01T10:00:00Z',
      start: '2027-03-01T10:05:00Z',
      now: '2027-03-01T10:05:00Z',
    },
  ],
  [
    'late',
    {
      why: 'once it has begun, but asked for again',
      ...{ due: '2027-03-01T10:00:00Z', start: '2027-03-01T10:05:00Z' },
      ...{ redriven: '2027-03-01T11:00:00Z', now: '2027-03-01T11:00:01Z' },
    },
  ],
  [
    'QUIET_HOURS',
    {
      why: 'it is quiet until the Session begins',
      ...{ quiet: NIGHT, due: '2027-01-16T06:00:00Z', start: '2027-01-16T08:00:00Z', now: '2027-01-16T06:00:00Z' },
    },
  ],
  [
    'sent',
    {
      why: 'advanced, before it is due',
      ...{ quiet: NIGHT, due: '2027-01-16T06:00:00Z', sendAt: '2027-01-15T20:59:00Z' },
      ...{ start: '2027-01-16T07:00:00Z', now: '2027-01-15T20:59:02Z' },
    },
  ],
  ['sent', { why: 'in time', due: '2027-03-01T10:00:00Z', now: '2027-03-01T10:00:04Z' }],
  ['sent', { why: 'a quarter of an hour is not late', due: '2027-03-01T10:00:00Z', now: '2027-03-01T10:15:00Z' }],
  ['late', { why: 'more is', due: '2027-03-01T10:00:00Z', now: '2027-03-01T10:15:01Z' }],
  ['late', { why: 'exactly at the bound', due: '2027-03-01T10:00:00Z', now: '2027-03-02T10:00:00Z' }],
  ['TOO_LATE', { why: 'beyond it', due: '2027-03-01T10:00:00Z', now: '2027-03-02T10:00:00.001Z' }],
  ['late', { why: '24 hours are exact: a day of 23', due: '2027-03-27T12:00:00Z', now: '2027-03-28T12:00:00Z' }],
  ['TOO_LATE', { why: 'and a day of 25', due: '2027-10-30T12:00:00Z', now: '2027-10-31T12:00:01Z' }],
  ['late', { why: 'another bound', maxLateness: 'PT36H', due: '2027-03-01T10:00:00Z', now: '2027-03-02T22:00:00Z' }],
  [
    'TOO_LATE',
    { why: 'beyond another bound', maxLateness: 'PT36H', due: '2027-03-01T10:00:00Z', now: '2027-03-02T22:00:01Z' },
  ],
  [
    'late',
    {
      why: 'counts from the end of quiet hours',
      quiet: NIGHT,
      due: '2027-01-15T21:00:00Z',
      now: '2027-01-17T08:00:00Z',
    },
  ],
  ['TOO_LATE', { why: 'and not longer', quiet: NIGHT, due: '2027-01-15T21:00:00Z', now: '2027-01-17T08:00:01Z' }],
  [
    '2027-01-16T08:00:00Z',
    { why: 'late, and quiet now', quiet: NIGHT, due: '2027-01-15T07:00:00Z', now: '2027-01-16T07:59:59Z' },
  ],
  [
    'TOO_LATE',
    { why: 'too late, and quiet now', quiet: NIGHT, due: '2027-01-15T09:00:00Z', now: '2027-01-16T22:00:00Z' },
  ],
  [
    'late',
    {
      why: 'in time when quiet hours began, which have just ended',
      quiet: NIGHT,
      due: '2027-01-15T12:00:00Z',
      sendAt: '2027-01-16T08:00:00Z',
      maxLateness: 'PT12H',
      now: '2027-01-16T08:00:03Z',
    },
  ],
  [
    'TOO_LATE',
    {
      why: 'which have ended long ago',
      quiet: NIGHT,
      due: '2027-01-15T12:00:00Z',
      sendAt: '2027-01-16T08:00:00Z',
      maxLateness: 'PT12H',
      now: '2027-01-16T08:15:01Z',
    },
  ],
  [
    'late',
    {
      why: 'retried after quiet hours that have just ended',
      quiet: NIGHT,
      due: '2027-01-15T20:00:00Z',
      sendAt: '2027-01-16T08:00:05Z',
      maxLateness: 'PT2H',
      now: '2027-01-16T08:15:00Z',
    },
  ],
  [
    'TOO_LATE',
    {
      why: 'retried after quiet hours that have ended long ago',
      quiet: NIGHT,
      due: '2027-01-15T20:00:00Z',
      sendAt: '2027-01-16T08:10:00Z',
      maxLateness: 'PT2H',
      now: '2027-01-16T08:15:01Z',
    },
  ],
  [
    'TOO_LATE',
    {
      why: 'retried before quiet hours, and not looked at until they had ended',
      quiet: NIGHT,
      due: '2027-01-15T18:00:00Z',
      sendAt: '2027-01-15T18:00:05Z',
      maxLateness: 'PT2H',
      now: '2027-01-16T08:00:03Z',
    },
  ],
  [
    'TOO_LATE',
    {
      why: 'held back by something else',
      quiet: NIGHT,
      due: '2027-01-15T12:00:00Z',
      sendAt: '2027-01-16T12:30:00Z',
      now: '2027-01-16T12:30:03Z',
    },
  ],
  [
    'TOO_LATE',
    {
      why: 'nothing held it back',
      quiet: NIGHT,
      maxLateness: 'PT1M',
      due: '2027-01-16T08:00:00Z',
      now: '2027-01-16T08:02:00Z',
    },
  ],
  [
    'late',
    {
      why: 'sent again long after it was due, and says so',
      due: '2027-03-01T10:00:00Z',
      redriven: '2027-03-09T10:00:00Z',
      now: '2027-03-09T10:00:02Z',
    },
  ],
  [
    'late',
    {
      why: 'sent again, at the bound from then',
      due: '2027-03-01T10:00:00Z',
      redriven: '2027-03-09T10:00:00Z',
      now: '2027-03-10T10:00:00Z',
    },
  ],
  [
    'TOO_LATE',
    {
      why: 'sent again, and beyond it',
      due: '2027-03-01T10:00:00Z',
      redriven: '2027-03-09T10:00:00Z',
      now: '2027-03-10T10:00:01Z',
    },
  ],
  [
    '2027-01-19T08:00:00Z',
    {
      why: 'sent again in the night',
      quiet: NIGHT,
      due: '2027-01-15T10:00:00Z',
      redriven: '2027-01-18T22:00:00Z',
      now: '2027-01-18T22:00:02Z',
    },
  ],
  [
    'late',
    {
      why: 'sent again in the night: the bound is from its end',
      quiet: NIGHT,
      maxLateness: 'PT2H',
      due: '2027-01-15T10:00:00Z',
      redriven: '2027-01-18T22:00:00Z',
      now: '2027-01-19T10:00:00Z',
    },
  ],
  ['sent', { why: 'the clock has jumped back since', due: '2027-03-01T10:00:00Z', now: '2027-03-01T09:00:00Z' }],
];

/** A reminder at 06:00, an hour before its Session, that was advanced to the last minute before quiet hours. */
const ADVANCED = { quiet: NIGHT, due: '2027-01-16T06:00:00Z', sendAt: '2027-01-15T20:59:00Z' };

const ADVANCE: [expected: string, row: Case][] = [
  ['sent', { why: 'in time', ...ADVANCED, start: '2027-01-16T07:00:00Z', now: '2027-01-15T20:59:59Z' }],
  [
    'QUIET_HOURS',
    {
      why: 'at the bound, which counts from the send time',
      ...{ ...ADVANCED, start: '2027-01-16T07:00:00Z', maxLateness: 'PT1H', now: '2027-01-15T21:59:00Z' },
    },
  ],
  [
    'TOO_LATE',
    {
      why: 'beyond the bound',
      ...{ ...ADVANCED, start: '2027-01-16T07:00:00Z', maxLateness: 'PT1H', now: '2027-01-15T21:59:01Z' },
    },
  ],
  [
    'sent',
    {
      why: 'late only from the due time on, because quiet hours have been switched off',
      ...{ ...ADVANCED, quiet: undefined, start: '2027-01-16T07:00:00Z', now: '2027-01-16T06:15:00Z' },
    },
  ],
  [
    'late',
    {
      why: 'more than 15 minutes after the due time',
      ...{ ...ADVANCED, quiet: undefined, start: '2027-01-16T07:00:00Z', now: '2027-01-16T06:15:01Z' },
    },
  ],
  [
    'sent',
    {
      why: 'redriven before the due time: late only from the end of quiet hours on',
      ...{ ...ADVANCED, sendAt: '2027-01-15T22:00:00Z', redriven: '2027-01-15T22:00:00Z', now: '2027-01-16T08:15:00Z' },
    },
  ],
  [
    'late',
    {
      why: 'redriven before the due time: the bound counts from the end of quiet hours',
      ...{ ...ADVANCED, sendAt: '2027-01-15T22:00:00Z', redriven: '2027-01-15T22:00:00Z' },
      ...{ maxLateness: 'PT12H', now: '2027-01-16T20:00:00Z' },
    },
  ],
];

const OPT_OUT: [expected: string, row: Case][] = [
  [
    'OPTED_OUT',
    { why: 'of Sessions', optedOut: ['SESSION'], due: '2027-03-01T10:00:00Z', now: '2027-03-01T10:00:00Z' },
  ],
  [
    'sent',
    { why: 'of homework alone', optedOut: ['HOMEWORK'], due: '2027-03-01T10:00:00Z', now: '2027-03-01T10:00:00Z' },
  ],
  [
    'OPTED_OUT',
    {
      why: 'of homework',
      kind: 'HOMEWORK',
      optedOut: ['HOMEWORK'],
      due: '2027-03-01T10:00:00Z',
      now: '2027-03-01T10:00:00Z',
    },
  ],
  [
    'sent',
    {
      why: 'of Sessions alone',
      kind: 'HOMEWORK',
      optedOut: ['SESSION'],
      due: '2027-03-01T10:00:00Z',
      now: '2027-03-01T10:00:00Z',
    },
  ],
  [
    'OPTED_OUT',
    {
      why: 'said before quiet hours and lateness',
      quiet: NIGHT,
      optedOut: ['SESSION', 'HOMEWORK'],
      due: '2027-01-01T23:00:00Z',
      now: '2027-01-15T23:00:00Z',
    },
  ],
  [
    'OPTED_OUT',
    {
      why: 'also what is sent again',
      optedOut: ['SESSION'],
      due: '2027-03-01T10:00:00Z',
      redriven: '2027-03-02T10:00:00Z',
      now: '2027-03-02T10:00:01Z',
    },
  ],
];

const table = (rows: [string, Case][]) =>
  rows.map(([expected, row]) => ({ ...row, expected, row, label: `${row.due} at ${row.now}` }));

describe('in quiet hours', () => {
  it.each(table(QUIET))('$why ($label): $expected', ({ row, expected }) => expect(decideCase(row)).toBe(expected));
});

describe('after an outage', () => {
  it.each(table(LATENESS))('$why ($label): $expected', ({ row, expected }) => expect(decideCase(row)).toBe(expected));
});

describe('a reminder that was advanced', () => {
  it.each(table(ADVANCE))('$why ($label): $expected', ({ row, expected }) => expect(decideCase(row)).toBe(expected));
});

describe('an opted-out recipient', () => {
  it.each(table(OPT_OUT))('$why ($label): $expected', ({ row, expected }) => expect(decideCase(row)).toBe(expected));

  it('still gets notices', () => {
    const dueAt = Temporal.Instant.from('2027-03-01T10:00:00Z');
    const reminder = { kind: 'SESSION' as const, dueAt, sendAt: dueAt, notAfter: null, redrivenAt: null };
    const preference = { optedOut: new Set<ReminderKind>(['SESSION']), quietHours: null, timeZone: 'Europe/London' };
    const decide = (isNotice: boolean) => decideDelivery({ ...reminder, isNotice }, preference, DAY, dueAt);
    expect([decide(true).action, decide(false)]).toEqual(['SEND', { action: 'SKIP', reason: 'OPTED_OUT' }]);
  });
});

describe('the decision', () => {
  const decide = (sendAt: string, now: string, quietHours: QuietHours | null = NIGHT) => {
    const dueAt = Temporal.Instant.from('2027-01-16T06:00:00Z');
    return decideDelivery(
      { kind: 'SESSION', dueAt, sendAt: Temporal.Instant.from(sendAt), notAfter: null, redrivenAt: null },
      { optedOut: new Set(), quietHours, timeZone: 'Europe/London' },
      DAY,
      Temporal.Instant.from(now),
    );
  };

  it('to defer has the reason QUIET_HOURS, which the history shows', () => {
    expect(decide('2027-01-16T06:00:00Z', '2027-01-16T06:00:00Z')).toMatchObject({
      ...{ action: 'DEFER', reason: 'QUIET_HOURS' },
    });
  });

  it.each([
    ['at the due time', '2027-01-16T06:00:00Z', null, '2027-01-16T06:00:00Z'],
    ['deferred: at the end of quiet hours', '2027-01-16T08:00:00Z', NIGHT, '2027-01-16T08:00:00Z'],
    ['advanced: at the last minute before quiet hours', '2027-01-15T20:59:00Z', NIGHT, '2027-01-15T20:59:00Z'],
  ])('to send says when the reminder was expected: %s', (_, sendAt, quietHours, expectedAt) => {
    const now = Temporal.Instant.from(sendAt).add({ seconds: 5 }).toString();
    const decision = decide(sendAt, now, quietHours) as Extract<DeliveryDecision, { action: 'SEND' }>;
    expect([decision.action, decision.expectedAt.toString()]).toEqual(['SEND', expectedAt]);
  });
});

describe('for any time, time zone and quiet hours', () => {
  const zone = fc.constantFrom('Europe/London', 'America/Los_Angeles', 'Australia/Lord_Howe', 'Pacific/Chatham');
  const hour = fc.integer({ min: 0, max: 23 }).map((value) => `${String(value).padStart(2, '0')}:30`);
  const quietHours = fc.record({ from: hour, to: hour }).filter(({ from, to }) => from !== to);
  const wishes: fc.Arbitrary<DeliveryPreference> = fc.record({
    optedOut: fc.constant(new Set<ReminderKind>()),
    quietHours: fc.option(quietHours),
    timeZone: zone,
  });
  const instant = fc
    .integer({ min: 0, max: 2 * 365 * 24 * 60 })
    .map((minutes) => Temporal.Instant.from('2027-01-01T00:00:00Z').add({ minutes }));
  const fresh = (dueAt: Temporal.Instant) => ({
    kind: 'SESSION' as const,
    dueAt,
    sendAt: dueAt,
    notAfter: null,
    redrivenAt: null,
  });

  /** Decides as the service does: at the due time, and again at the end of each deferral. */
  function lookUntilSettled(
    dueAt: Temporal.Instant,
    given: DeliveryPreference,
    maxLateness = DAY,
  ): [DeliveryDecision, Temporal.Instant] {
    let [sendAt, now] = [dueAt, dueAt];
    for (;;) {
      const sending = decideDelivery({ ...fresh(dueAt), sendAt }, given, maxLateness, now);
      if (sending.action !== 'DEFER') return [sending, now];
      expect(Temporal.Instant.compare(now, sending.until)).toBe(-1);
      // The dispatch runs a few seconds after the scheduled time.
      [sendAt, now] = [sending.until, sending.until.add({ seconds: 5 })];
    }
  }

  it('sends a due reminder outside quiet hours, and not as late', () => {
    fc.assert(
      fc.property(instant, wishes, (dueAt, given) => {
        const [sending, now] = lookUntilSettled(dueAt, given);
        expect(sending).toEqual({ action: 'SEND', isLate: false, expectedAt: expect.any(Temporal.Instant) });
        const { expectedAt } = sending as Extract<DeliveryDecision, { action: 'SEND' }>;
        // A deferred reminder is expected to be sent at the end of the quiet hours.
        expect(now.since(expectedAt).total('seconds')).toBeLessThanOrEqual(5);
        if (given.quietHours) expect(findQuietHoursEnd(now, given.quietHours, given.timeZone)).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not skip a reminder that was in time when the quiet hours began', () => {
    fc.assert(
      fc.property(
        instant,
        wishes,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 60 }),
        (dueAt, given, hours, down) => {
          const maxLateness = Temporal.Duration.from({ hours });
          const firstLook = dueAt.add({ minutes: Math.floor((hours * down) / 60) * 60 });
          const first = decideDelivery(fresh(dueAt), given, maxLateness, firstLook);
          expect(first.action).not.toBe('SKIP');
          if (first.action !== 'DEFER') return;
          const again = decideDelivery(
            { ...fresh(dueAt), sendAt: first.until },
            given,
            maxLateness,
            first.until.add({ seconds: 5 }),
          );
          expect(again.action).toBe('SEND');
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('defers for a limited time, and sends nothing more than a day late', () => {
    fc.assert(
      fc.property(instant, wishes, fc.integer({ min: 0, max: 200 }), (dueAt, given, hours) => {
        const now = dueAt.add({ hours });
        const sending = decideDelivery(fresh(dueAt), given, DAY, now);
        if (hours > 24 + 49) expect(sending).toEqual({ action: 'SKIP', reason: 'TOO_LATE' });
        if (hours <= 24) expect(sending.action).not.toBe('SKIP');
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not skip a reminder when the clock jumps back before its time', () => {
    fc.assert(
      fc.property(instant, wishes, fc.integer({ min: 0, max: 1_000 }), (dueAt, given, hours) => {
        expect(decideDelivery(fresh(dueAt), given, DAY, dueAt.subtract({ hours })).action).not.toBe('SKIP');
      }),
    );
  });
});
