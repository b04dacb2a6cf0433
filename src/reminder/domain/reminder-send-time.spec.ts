import fc from 'fast-check';
import type { RecipientKind } from './reminder-kinds.js';
import { hasOutdatedTimes, type ReminderRule } from './reminder-rule.js';
import { Reminder } from './reminder.entity.js';
import { createSuccessor } from './successor.js';
import type { SessionSnapshot } from './session-data.js';
import type { QuietHours, RecipientTimeSettings } from './timing/quiet-hours.js';

/* How quiet hours and the time zone of the recipient change the send time of a reminder. */

const instant = (text: string) => Temporal.Instant.from(text);
const PLANNED_AT = instant('2027-01-04T10:00:00Z');
const NOW = instant('2027-01-11T10:00:00Z');

const SESSION: SessionSnapshot = {
  sessionId: 1,
  clinicId: 2,
  clientId: 3,
  caregiverId: 4,
  plannedDate: Temporal.PlainDate.from('2027-01-16'),
  timeZone: 'Europe/London',
  startsAt: instant('2027-01-16T12:00:00Z'),
  phase: 'AHEAD',
  doneHomeworkIds: new Set(),
};
const startingAt = (time: string): SessionSnapshot => {
  const startsAt = instant(time);
  return { ...SESSION, startsAt, plannedDate: startsAt.toZonedDateTimeISO(SESSION.timeZone).toPlainDate() };
};
/** A reminder at 06:00 is an hour before this Session, and so in the quiet hours `NIGHT`. */
const EARLY_SESSION = startingAt('2027-01-16T07:00:00Z');

const quiet = (from: string, to: string, timeZone = 'Europe/London'): RecipientTimeSettings => ({
  quietHours: { from, to },
  timeZone,
});
const NIGHT = quiet('21:00', '08:00');
const NOT_QUIET: RecipientTimeSettings = { quietHours: null, timeZone: 'Europe/London' };

/** Due at 23:00 before the Session at noon, and at 06:00 before the Session at 07:00. */
const THIRTEEN_HOURS_BEFORE: ReminderRule = { kind: 'AROUND_START', offset: '-PT13H' };
const AN_HOUR_BEFORE: ReminderRule = { kind: 'AROUND_START', offset: '-PT1H' };
const HOMEWORK: ReminderRule = {
  ...{ kind: 'HOMEWORK', bookId: 5, reminderDay: 3, time: '18:30', timeZone: 'America/New_York' },
};

type Plan = {
  session?: SessionSnapshot;
  rule?: ReminderRule;
  settings?: RecipientTimeSettings;
  now?: Temporal.Instant;
  recipientKind?: RecipientKind;
};
const plan = ({
  session = SESSION,
  rule = THIRTEEN_HOURS_BEFORE,
  settings = NIGHT,
  now = PLANNED_AT,
  recipientKind = 'CLIENT',
}: Plan) => new Reminder(session, recipientKind, rule, now, rule.kind === 'HOMEWORK' ? 6 : null, settings);

/** Times as strings, because Jest considers any two instants equal. */
const getState = ({ status, reason, sendAt, settledAt }: Reminder) => ({
  ...{ status, reason, sendAt: sendAt.toString(), settledAt: settledAt?.toString() ?? null },
});
const pendingUntil = (sendAt: string) => ({ status: 'PENDING', reason: null, sendAt, settledAt: null });
const getHistory = ({ history }: Reminder) => history.map(({ at: _, ...entry }) => entry);
const asText = (reminder: Reminder) => JSON.stringify({ ...reminder });

const deferred = (until: string) => ({ what: 'DEFERRED', reason: 'QUIET_HOURS', until });
const advanced = (until: string) => ({ what: 'ADVANCED', reason: 'QUIET_HOURS', until });
const skipped = (reason: string) => ({ what: 'SKIPPED', reason });
const moved = (from: string, to: string) => ({ what: 'MOVED', from, to });
const rescheduled = (from: string, to: string) => ({ what: 'RESCHEDULED', from, to });

describe('a new reminder', () => {
  it.each<[why: string, plan: Plan, state: object, history: object[]]>([
    [
      'outside quiet hours is sent at its due time',
      { settings: quiet('12:00', '14:00') },
      pendingUntil('2027-01-15T23:00:00Z'),
      [],
    ],
    [
      'in quiet hours is deferred until they end',
      {},
      pendingUntil('2027-01-16T08:00:00Z'),
      [deferred('2027-01-16T08:00:00.000Z')],
    ],
    [
      'is advanced if quiet hours end too close to the start',
      { session: EARLY_SESSION, rule: AN_HOUR_BEFORE },
      pendingUntil('2027-01-15T20:59:00Z'),
      [advanced('2027-01-15T20:59:00.000Z')],
    ],
    [
      'is skipped if it can be neither deferred nor advanced',
      { session: EARLY_SESSION, rule: AN_HOUR_BEFORE, now: instant('2027-01-15T21:00:00Z') },
      {
        ...{ status: 'SKIPPED', reason: 'QUIET_HOURS' },
        ...{ sendAt: '2027-01-16T06:00:00Z', settledAt: '2027-01-15T21:00:00Z' },
      },
      [skipped('QUIET_HOURS')],
    ],
    [
      'is skipped if it is planned more than 15 minutes after its due time, also in quiet hours',
      { now: instant('2027-01-15T23:15:01Z') },
      {
        ...{ status: 'SKIPPED', reason: 'PAST_WHEN_PLANNED' },
        ...{ sendAt: '2027-01-15T23:00:00Z', settledAt: '2027-01-15T23:15:01Z' },
      },
      [skipped('PAST_WHEN_PLANNED')],
    ],
  ])('%s', (_, given, state, history) => {
    const reminder = plan(given);
    expect([getState(reminder), getHistory(reminder)]).toEqual([state, history]);
    for (const { at } of reminder.history) expect(instant(at).equals(given.now ?? PLANNED_AT)).toBe(true);
  });
});

describe('after a change of quiet hours or time zone', () => {
  const early = { session: EARLY_SESSION, rule: AN_HOUR_BEFORE };
  /** Was skipped, because the last minute before the quiet hours had passed when it was planned. */
  const earlySkipped = { ...early, now: instant('2027-01-15T21:00:00Z') };
  const SKIPPED_AT_NINE = { status: 'SKIPPED', reason: 'QUIET_HOURS', settledAt: '2027-01-15T21:00:00Z' };

  it.each<[why: string, plan: Plan, settings: RecipientTimeSettings, now: string, state: object, entry: object | null]>(
    [
      [
        'a reminder that is now in quiet hours is deferred',
        ...([{ settings: NOT_QUIET }, NIGHT, '2027-01-11T10:00:00Z'] as const),
        pendingUntil('2027-01-16T08:00:00Z'),
        deferred('2027-01-16T08:00:00.000Z'),
      ],
      [
        'a deferred reminder is deferred until the new end',
        ...([{}, quiet('21:00', '09:00'), '2027-01-11T10:00:00Z'] as const),
        pendingUntil('2027-01-16T09:00:00Z'),
        deferred('2027-01-16T09:00:00.000Z'),
      ],
      [
        'a reminder that is no longer in quiet hours is sent at its due time',
        ...([{}, NOT_QUIET, '2027-01-11T10:00:00Z'] as const),
        pendingUntil('2027-01-15T23:00:00Z'),
        rescheduled('2027-01-16T08:00:00.000Z', '2027-01-15T23:00:00.000Z'),
      ],
      [
        'a reminder outside quiet hours in the new time zone is sent at its due time',
        ...([{}, quiet('21:00', '08:00', 'America/Los_Angeles'), '2027-01-11T10:00:00Z'] as const),
        pendingUntil('2027-01-15T23:00:00Z'),
        rescheduled('2027-01-16T08:00:00.000Z', '2027-01-15T23:00:00.000Z'),
      ],
      [
        'a reminder is advanced if the new quiet hours end too close to the start',
        ...([{ ...early, settings: NOT_QUIET }, NIGHT, '2027-01-11T10:00:00Z'] as const),
        pendingUntil('2027-01-15T20:59:00Z'),
        advanced('2027-01-15T20:59:00.000Z'),
      ],
      [
        'a reminder is skipped if it can be neither deferred nor advanced',
        ...([{ ...early, settings: NOT_QUIET }, NIGHT, '2027-01-15T21:00:00Z'] as const),
        { ...SKIPPED_AT_NINE, sendAt: '2027-01-16T06:00:00Z' },
        skipped('QUIET_HOURS'),
      ],
      [
        'a skipped reminder that is no longer in quiet hours is sent at its due time',
        ...([earlySkipped, quiet('21:00', '05:00'), '2027-01-15T21:30:00Z'] as const),
        pendingUntil('2027-01-16T06:00:00Z'),
        rescheduled('2027-01-16T06:00:00.000Z', '2027-01-16T06:00:00.000Z'),
      ],
      [
        'a skipped reminder is deferred if quiet hours now end before the start',
        ...([earlySkipped, quiet('21:00', '06:15'), '2027-01-15T21:30:00Z'] as const),
        pendingUntil('2027-01-16T06:15:00Z'),
        deferred('2027-01-16T06:15:00.000Z'),
      ],
      [
        'a skipped reminder is sent if it was due 15 minutes ago',
        ...([earlySkipped, NOT_QUIET, '2027-01-16T06:15:00Z'] as const),
        pendingUntil('2027-01-16T06:00:00Z'),
        rescheduled('2027-01-16T06:00:00.000Z', '2027-01-16T06:00:00.000Z'),
      ],
      [
        'a skipped reminder stays skipped if it was due longer ago',
        ...([earlySkipped, NOT_QUIET, '2027-01-16T06:15:01Z'] as const),
        { ...SKIPPED_AT_NINE, sendAt: '2027-01-16T06:00:00Z' },
        null,
      ],
      [
        'a skipped reminder stays skipped if the Session begins before the new end',
        ...([earlySkipped, quiet('21:00', '07:30'), '2027-01-15T21:30:00Z'] as const),
        { ...SKIPPED_AT_NINE, sendAt: '2027-01-16T06:00:00Z' },
        null,
      ],
      [
        'a deferred reminder does not change if the end of its quiet hours stays the same',
        ...([{}, quiet('20:00', '08:00'), '2027-01-11T10:00:00Z'] as const),
        pendingUntil('2027-01-16T08:00:00Z'),
        null,
      ],
      [
        'a reminder outside the old and the new quiet hours does not change',
        ...([{ settings: NOT_QUIET }, quiet('12:00', '14:00'), '2027-01-11T10:00:00Z'] as const),
        pendingUntil('2027-01-15T23:00:00Z'),
        null,
      ],
    ],
  )('%s', (_, given, settings, now, state, entry) => {
    const reminder = plan(given);
    const before = getHistory(reminder);
    expect(reminder.updateSendTime(settings, instant(now))).toBe(entry !== null);
    expect(getState(reminder)).toEqual(state);
    expect(getHistory(reminder)).toEqual([...before, ...(entry === null ? [] : [entry])]);
    expect(reminder.updateSendTime(settings, instant(now))).toBe(false);
  });

  it.each<[state: string, fields: Partial<Reminder>]>([
    ['is QUEUED', { status: 'QUEUED', queuedAt: NOW, messageId: 'message' }],
    ['is SENT', { status: 'SENT', settledAt: NOW, messageId: 'message' }],
    ['is DEAD', { status: 'DEAD', reason: 'UNDELIVERABLE', settledAt: NOW, messageId: 'message' }],
    ['is DEAD and has no message since a reassignment', { status: 'DEAD', reason: 'UNDELIVERABLE', settledAt: NOW }],
    ['is WITHDRAWN', { status: 'WITHDRAWN', reason: 'SESSION_CANCELLED' }],
    ['is SKIPPED because the recipient has opted out', { status: 'SKIPPED', reason: 'OPTED_OUT', settledAt: NOW }],
    ['is SKIPPED because it was too late', { status: 'SKIPPED', reason: 'TOO_LATE', settledAt: NOW }],
    ['waits for another attempt', { messageId: 'message' }],
    ['was redriven', { redrivenAt: NOW }],
  ])('a reminder that %s keeps its time', (_, fields) => {
    const reminder = Object.assign(plan({}), fields);
    const before = asText(reminder);
    expect(reminder.updateSendTime(NOT_QUIET, NOW)).toBe(false);
    expect(asText(reminder)).toBe(before);
  });

  it('a reminder has the same state as one that is planned with the new settings', () => {
    const minute = fc.integer({ min: 0, max: 1_439 });
    const toTime = (minutes: number) => Temporal.PlainTime.from('00:00').add({ minutes }).toString().slice(0, 5);
    const quietHours = fc
      .tuple(minute, minute)
      .filter(([from, to]) => from !== to)
      .map(([from, to]): QuietHours => ({ from: toTime(from), to: toTime(to) }));
    const settings: fc.Arbitrary<RecipientTimeSettings> = fc.record({
      quietHours: fc.option(quietHours),
      timeZone: fc.constantFrom('Europe/London', 'America/St_Johns', 'Asia/Kathmandu'),
    });
    const offset = fc.integer({ min: -1_440, max: 60 }).map((minutes) => Temporal.Duration.from({ minutes }));
    const leadTime = fc.integer({ min: 0, max: 2 * 1_440 });
    fc.assert(
      fc.property(settings, settings, offset, leadTime, (before, after, duration, minutes) => {
        const rule: ReminderRule = { kind: 'AROUND_START', offset: duration.toString() };
        const now = SESSION.startsAt.subtract({ minutes });
        const reminder = plan({ rule, settings: before, now });
        reminder.updateSendTime(after, now);
        const expected = plan({ rule, settings: after, now });
        expect([reminder.status, reminder.reason]).toEqual([expected.status, expected.reason]);
        // A skipped reminder keeps its last send time.
        if (reminder.status === 'PENDING') expect(getState(reminder)).toEqual(getState(expected));
      }),
      { numRuns: 500 },
    );
  });
});

describe('when its Session changes, a reminder', () => {
  it('is deferred if it moves into quiet hours', () => {
    const reminder = plan({ session: startingAt('2027-01-16T09:00:00Z') });
    expect(reminder.reschedule(SESSION, NOW, NIGHT)).toBe(true);
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-16T08:00:00Z'));
    expect(getHistory(reminder)).toEqual([
      moved('2027-01-15T20:00:00.000Z', '2027-01-15T23:00:00.000Z'),
      deferred('2027-01-16T08:00:00.000Z'),
    ]);
  });

  it('is sent at its due time if it moves out of quiet hours', () => {
    const reminder = plan({});
    expect(reminder.reschedule(startingAt('2027-01-16T09:00:00Z'), NOW, NIGHT)).toBe(true);
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-15T20:00:00Z'));
    expect(getHistory(reminder)).toEqual([
      deferred('2027-01-16T08:00:00.000Z'),
      moved('2027-01-15T23:00:00.000Z', '2027-01-15T20:00:00.000Z'),
    ]);
  });

  it('is advanced if the Session now starts just after the quiet hours, although its due time is the same', () => {
    const settings = quiet('09:30', '12:00');
    const reminder = plan({ rule: { kind: 'REMIND_DAYS', days: 11 }, settings });
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-15T12:00:00Z'));
    expect(reminder.reschedule(startingAt('2027-01-15T12:15:00Z'), NOW, settings)).toBe(true);
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-15T09:29:00Z'));
    expect(reminder.notAfter?.toString()).toBe('2027-01-15T12:15:00Z');
    expect(getHistory(reminder)).toEqual([deferred('2027-01-15T12:00:00.000Z'), advanced('2027-01-15T09:29:00.000Z')]);
  });

  it('follows the quiet hours of the new Care Provider', () => {
    const reminder = plan({ recipientKind: 'CARE_PROVIDER' });
    expect(reminder.reschedule({ ...SESSION, caregiverId: 40 }, NOW, NOT_QUIET)).toBe(true);
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-15T23:00:00Z'));
    expect(getHistory(reminder)).toEqual([
      deferred('2027-01-16T08:00:00.000Z'),
      { what: 'HANDED_OVER', fromCareProviderId: 4, toCareProviderId: 40 },
      rescheduled('2027-01-16T08:00:00.000Z', '2027-01-15T23:00:00.000Z'),
    ]);
  });

  it('is deferred again when it is restored', () => {
    const reminder = plan({});
    reminder.reschedule({ ...SESSION, phase: 'CANCELLED' }, NOW, NIGHT);
    reminder.reschedule(SESSION, NOW, NIGHT);
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-16T08:00:00Z'));
    expect(getHistory(reminder).slice(1)).toEqual([
      { what: 'WITHDRAWN', reason: 'SESSION_CANCELLED' },
      { what: 'RESTORED' },
      deferred('2027-01-16T08:00:00.000Z'),
    ]);
  });

  it('keeps its send time if neither its times nor its recipient change', () => {
    const reminder = plan({});
    const before = asText(reminder);
    expect(reminder.reschedule({ ...SESSION, doneHomeworkIds: new Set([6]) }, NOW)).toBe(false);
    expect(asText(reminder)).toBe(before);
  });
});

describe('a homework reminder', () => {
  const inZone = (timeZone: string): RecipientTimeSettings => ({ quietHours: null, timeZone });
  const planHomework = () => plan({ rule: HOMEWORK, settings: inZone('America/New_York') });

  it("moves to its local time in the Client's new time zone", () => {
    const reminder = planHomework();
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-18T23:30:00Z'));
    expect(reminder.reschedule(SESSION, NOW, inZone('Europe/London'))).toBe(true);
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-18T18:30:00Z'));
    expect(reminder.rule).toEqual({ ...HOMEWORK, timeZone: 'Europe/London' });
    expect(getHistory(reminder)).toEqual([
      { ...moved('2027-01-18T23:30:00.000Z', '2027-01-18T18:30:00.000Z'), reason: 'TIME_ZONE' },
    ]);
  });

  it('has no history entry for a new time zone with the same local time', () => {
    const reminder = planHomework();
    expect(reminder.reschedule(SESSION, NOW, inZone('America/Toronto'))).toBe(true);
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-18T23:30:00Z'));
    expect(reminder.rule).toEqual({ ...HOMEWORK, timeZone: 'America/Toronto' });
    expect(reminder.history).toEqual([]);
  });

  it('keeps its time zone if the settings were not read', () => {
    const reminder = planHomework();
    expect(reminder.reschedule(SESSION, NOW)).toBe(false);
    expect(reminder.rule).toEqual(HOMEWORK);
  });

  it('is not limited by the start of the Session, so it is deferred and not advanced', () => {
    const reminder = plan({ rule: HOMEWORK, settings: quiet('18:00', '09:00', 'America/New_York') });
    expect(reminder.notAfter).toBeNull();
    expect(getState(reminder)).toEqual(pendingUntil('2027-01-19T14:00:00Z'));
  });

  it("that was sent gets a successor in the Client's new time zone when its Session moves", () => {
    const sent = Object.assign(planHomework(), { status: 'SENT' as const });
    const next = createSuccessor(sent, startingAt('2027-01-23T12:00:00Z'), NOW, inZone('Europe/London'))!;
    expect(next.rule).toEqual({ ...HOMEWORK, timeZone: 'Europe/London' });
    expect(getState(next)).toEqual(pendingUntil('2027-01-25T18:30:00Z'));
    expect(createSuccessor(sent, SESSION, NOW, inZone('Europe/London'))).toBeNull();
  });

  it.each([
    ['has a successor that is due later in the new time zone', 'Europe/London', 'America/New_York', true],
    ['has no successor that would be past in the new time zone', 'America/New_York', 'Europe/London', false],
  ])('that was sent %s', (_name, timeZone, newZone, hasSuccessor) => {
    const rule = { ...HOMEWORK, timeZone };
    const sent = Object.assign(plan({ rule, settings: NOT_QUIET }), { status: 'SENT' as const });
    // 18:30 has passed in London, but not in New York.
    const now = instant('2027-01-25T20:00:00Z');
    const next = createSuccessor(sent, startingAt('2027-01-23T12:00:00Z'), now, inZone(newZone));
    expect(next?.dueAt.toString()).toBe(hasSuccessor ? '2027-01-25T23:30:00Z' : undefined);
  });
});

describe('the stored times are outdated', () => {
  it.each<[why: string, plan: Plan, session: SessionSnapshot, expected: boolean]>([
    ['if the rule yields another due time and another limit', {}, startingAt('2027-01-16T13:00:00Z'), true],
    ['if the rule yields another due time', { rule: HOMEWORK }, startingAt('2027-01-17T12:00:00Z'), true],
    [
      'if only the start of the Session, which limits the reminder, has changed',
      { rule: { kind: 'REMIND_DAYS', days: 11 } },
      startingAt('2027-01-16T13:00:00Z'),
      true,
    ],
    [
      'if only the start of the Session has changed, which does not limit homework: no',
      { rule: HOMEWORK },
      startingAt('2027-01-16T13:00:00Z'),
      false,
    ],
    ['if nothing has changed: no', {}, SESSION, false],
    ['if quiet hours have deferred the reminder: no', { settings: NIGHT }, SESSION, false],
  ])('%s', (_, given, session, expected) => {
    const reminder = plan(given);
    const before = asText(reminder);
    expect(hasOutdatedTimes(reminder, session)).toBe(expected);
    expect(asText(reminder)).toBe(before);
  });
});
