import fc from 'fast-check';
import { ConflictError } from '../../shared/errors/index.js';
import { createErasureNotice } from './erasure-notice.js';
import type { RecipientKind } from './reminder-kinds.js';
import type { ReminderRule } from './reminder-rule.js';
import {
  REMINDER_STATUSES,
  STILL_SENDABLE_STATUSES,
  TIME_DEPENDENT_SKIP_REASONS,
  type ReminderStatus,
} from './reminder-status.js';
import { Reminder } from './reminder.entity.js';
import { createSuccessor } from './successor.js';
import type { SessionSnapshot } from './session-data.js';
import { UNREAD_TIME_SETTINGS, type RecipientTimeSettings } from './timing/quiet-hours.js';

const instant = (text: string) => Temporal.Instant.from(text);
const PLANNED_AT = instant('2027-03-01T10:00:00Z');
const NOW = instant('2027-03-10T10:00:00Z');

/** This Session is on the day after the clocks go forward in London. */
const SESSION: SessionSnapshot = {
  sessionId: 1,
  clinicId: 2,
  clientId: 3,
  caregiverId: 4,
  plannedDate: Temporal.PlainDate.from('2027-03-29'),
  timeZone: 'Europe/London',
  startsAt: instant('2027-03-29T08:00:00Z'),
  phase: 'AHEAD',
  doneHomeworkIds: new Set(),
};
const A_WEEK_LATER: SessionSnapshot = {
  ...SESSION,
  plannedDate: SESSION.plannedDate.add({ days: 7 }),
  startsAt: instant('2027-04-05T08:00:00Z'),
};

const RULES = {
  days: { kind: 'REMIND_DAYS', days: 28 },
  before: { kind: 'AROUND_START', offset: '-P2D' },
  start: { kind: 'AROUND_START', offset: 'PT0S' },
  after: { kind: 'AROUND_START', offset: 'PT1S' },
  homework: { kind: 'HOMEWORK', bookId: 5, reminderDay: 3, time: '18:30', timeZone: 'America/New_York' },
} satisfies Record<string, ReminderRule>;

type Rule = keyof typeof RULES;
const HOMEWORK_ID = 6;
const DUE = instant('2027-03-27T09:00:00Z');

function createReminder(rule: Rule = 'before', recipientKind: RecipientKind = 'CLIENT', subject = SESSION): Reminder {
  const homeworkId = rule === 'homework' ? HOMEWORK_ID : undefined;
  return new Reminder(subject, recipientKind, RULES[rule], PLANNED_AT, homeworkId);
}

/** A reminder with the given status and values in all fields that earlier states can set. */
function createWithStatus(status: ReminderStatus, reminder = createReminder()): Reminder {
  const history = [{ at: 'before', what: 'QUEUED' as const }];
  const past = { queuedAt: PLANNED_AT, settledAt: PLANNED_AT, messageId: 'message', reason: 'SESSION_OVER' as const };
  return Object.assign(reminder, past, { status, history });
}

const getState = ({ status, reason, queuedAt, settledAt, messageId }: Reminder) => ({
  ...{ status, reason, messageId },
  ...{ queuedAt: queuedAt?.toString() ?? null, settledAt: settledAt?.toString() ?? null },
});
/** Times as strings, because Jest considers any two instants equal. */
const getTimes = ({ createdAt, dueAt, sendAt }: Reminder) => ({
  ...{ createdAt: createdAt.toString(), dueAt: dueAt.toString(), sendAt: sendAt.toString() },
});
const told = ({ history }: Reminder) => history.slice(-2).map(({ at: _, ...entry }) => entry);
const PENDING_STATE = { status: 'PENDING', reason: null, queuedAt: null, settledAt: null, messageId: null };
const withdrawnState = (reason: string, ...message: null[]) => ({
  ...{ status: 'WITHDRAWN', reason, queuedAt: null, settledAt: null },
  ...(message.length > 0 && { messageId: null }),
});

describe('a new reminder', () => {
  it('is PENDING and has no history', () => {
    const reminder = createReminder();
    expect(getState(reminder)).toEqual(PENDING_STATE);
    expect(reminder).toMatchObject({ clinicId: 2, sessionId: 1, caregiverId: 4, recipientId: 3, homeworkId: null });
    expect(getTimes(reminder)).toEqual({
      createdAt: PLANNED_AT.toString(),
      dueAt: DUE.toString(),
      sendAt: DUE.toString(),
    });
    expect([reminder.redrivenAt, reminder.history]).toEqual([null, []]);
  });

  it('is for the Client or for the Care Provider', () => {
    expect(createReminder('before', 'CLIENT')).toMatchObject({ recipientKind: 'CLIENT', recipientId: 3 });
    expect(createReminder('before', 'CARE_PROVIDER')).toMatchObject({ recipientKind: 'CARE_PROVIDER', recipientId: 4 });
  });

  it.each<[Rule, string, string]>([
    // The due time is 28 days after creation at the same local time. The clocks have gone forward by an hour since.
    ['days', 'SESSION', '2027-03-29T09:00:00Z'],
    ['before', 'SESSION', '2027-03-27T09:00:00Z'],
    ['start', 'SESSION', '2027-03-29T08:00:00Z'],
    ['after', 'SESSION', '2027-03-29T08:00:01Z'],
    // The due time of homework is in the Client's time zone.
    ['homework', 'HOMEWORK', '2027-03-31T22:30:00Z'],
  ])('of the rule %s has the kind %s and is due at %s', (rule, kind, dueAt) => {
    const reminder = createReminder(rule);
    expect([reminder.kind, reminder.dueAt.toString(), reminder.sendAt.toString()]).toEqual([kind, dueAt, dueAt]);
  });
});

it.each(REMINDER_STATUSES)('%s: whether it can still be sent', (status) => {
  expect(createWithStatus(status).canStillBeSent).toBe(!['SENT', 'SKIPPED'].includes(status));
});

it('the recipient key consists of the kind and the ID of the recipient', () => {
  expect(createReminder('before', 'CLIENT').recipientKey).toBe('CLIENT 3');
  expect(createReminder('before', 'CARE_PROVIDER').recipientKey).toBe('CARE_PROVIDER 4');
});

describe('the notice about an erased Session', () => {
  const notice = () => createErasureNotice(SESSION, NOW, UNREAD_TIME_SETTINGS);

  it('names the Session that no longer exists', () => {
    expect(notice()).toMatchObject({ sessionId: null, erasedSessionId: 1, subjectSessionId: 1 });
    expect(createReminder()).toMatchObject({ sessionId: 1, erasedSessionId: null, subjectSessionId: 1 });
  });

  it('is the only kind of reminder that is a notice', () => {
    expect(notice()).toMatchObject({ isNotice: true, kind: 'SESSION', recipientKey: 'CARE_PROVIDER 4' });
    for (const rule of Object.keys(RULES) as Rule[]) expect(createReminder(rule).isNotice).toBe(false);
  });

  it('is due at once, and the start of the Session does not limit it', () => {
    expect(getTimes(notice())).toMatchObject({ dueAt: NOW.toString(), sendAt: NOW.toString() });
    expect(notice().notAfter).toBeNull();
  });
});

describe('the deduplication key', () => {
  it('consists of recipient, homework and rule', () => {
    const all = [
      createReminder(),
      createReminder('before', 'CARE_PROVIDER'),
      createReminder('start'),
      createReminder('homework'),
    ];
    const other = new Reminder(SESSION, 'CLIENT', RULES.homework, NOW, HOMEWORK_ID + 1);
    expect(new Set([...all, other].map(({ deduplicationKey }) => deduplicationKey)).size).toBe(5);
    expect(createReminder('before', 'CLIENT', A_WEEK_LATER).deduplicationKey).toBe(createReminder().deduplicationKey);
  });

  it("does not depend on the order of the rule's keys", () => {
    const rule = Object.fromEntries(Object.entries(RULES.homework).reverse()) as typeof RULES.homework;
    expect(new Reminder(SESSION, 'CLIENT', rule, NOW, HOMEWORK_ID).deduplicationKey).toBe(
      createReminder('homework').deduplicationKey,
    );
  });
});

describe('without a change of its times', () => {
  it.each(['PENDING', 'QUEUED', 'DEAD'] as const)('stays %s', (status) => {
    const reminder = createWithStatus(status);
    const [before, sendAt] = [getState(reminder), DUE.add({ hours: 9 })];
    reminder.sendAt = sendAt;
    reminder.reschedule(SESSION, NOW);
    expect([getState(reminder), reminder.history.length]).toEqual([before, 1]);
    expect(getTimes(reminder)).toMatchObject({ dueAt: DUE.toString(), sendAt: sendAt.toString() });
  });

  it('ignores fractions of a millisecond in the offset, which the row does not store', () => {
    const rule = { kind: 'AROUND_START', offset: 'PT0.0005S' } as const;
    const [waiting, sent] = [
      new Reminder(SESSION, 'CLIENT', rule, NOW),
      createWithStatus('SENT', new Reminder(SESSION, 'CLIENT', rule, NOW)),
    ];
    for (const reminder of [waiting, sent]) reminder.dueAt = SESSION.startsAt;
    waiting.reschedule(SESSION, NOW);
    expect([waiting.history, createSuccessor(sent, SESSION, NOW)]).toEqual([[], null]);
  });

  it('takes over the participants of the Session', () => {
    const [client, careProvider] = [createReminder('before', 'CLIENT'), createReminder('before', 'CARE_PROVIDER')];
    for (const reminder of [client, careProvider])
      reminder.reschedule({ ...SESSION, caregiverId: 40, clientId: 30 }, NOW);
    expect([client.recipientId, careProvider.recipientId]).toEqual([30, 40]);
    expect([client.caregiverId, careProvider.caregiverId]).toEqual([40, 40]);
  });
});

it('reschedule returns whether the reminder has changed', () => {
  const subjects = fc.record({
    phase: fc.constantFrom<SessionSnapshot['phase']>('AHEAD', 'PAUSED', 'OVER', 'CANCELLED'),
    days: fc.constantFrom(0, 0, 7),
    caregiverId: fc.constantFrom(4, 4, 40),
    clientId: fc.constantFrom(3, 3, 30),
    isDone: fc.boolean(),
  });
  const rules = fc.constantFrom(...(Object.keys(RULES) as Rule[]));
  const kinds = fc.constantFrom<RecipientKind>('CLIENT', 'CARE_PROVIDER');
  const times = fc.constantFrom(NOW, instant('2027-06-01T00:00:00Z'));
  const asText = (reminder: Reminder) => JSON.stringify({ ...reminder });
  const told = [0, 0];
  fc.assert(
    fc.property(
      rules,
      kinds,
      fc.constantFrom(...STILL_SENDABLE_STATUSES),
      subjects,
      times,
      (rule, kind, status, wanted, now) => {
        const reminder = createWithStatus(status, createReminder(rule, kind));
        const { phase, days, caregiverId, clientId, isDone } = wanted;
        const plannedDate = SESSION.plannedDate.add({ days });
        const startsAt = SESSION.startsAt.add({ hours: 24 * days });
        const doneHomeworkIds = new Set(isDone ? [HOMEWORK_ID] : []);
        const subject = { ...SESSION, phase, plannedDate, startsAt, caregiverId, clientId, doneHomeworkIds };
        // The first call normalises the fields that earlier states set.
        reminder.reschedule(SESSION, now);
        const before = asText(reminder);
        const hasChanged = reminder.reschedule(subject, now);
        expect(hasChanged).toBe(asText(reminder) !== before);
        told[Number(hasChanged)]! += 1;
      },
    ),
    { numRuns: 1_000 },
  );
  expect(Math.min(...told)).toBeGreaterThan(50);
});

describe('when its Session is reassigned', () => {
  it.each(['CLIENT', 'CARE_PROVIDER'] as const)(
    'has one history entry with both Care Providers, for the %s',
    (kind) => {
      const reminder = createReminder('before', kind);
      for (const _ of [1, 2]) reminder.reschedule({ ...SESSION, caregiverId: 40 }, NOW);
      expect(reminder.history).toEqual([
        { at: '2027-03-10T10:00:00.000Z', what: 'HANDED_OVER', fromCareProviderId: 4, toCareProviderId: 40 },
      ]);
    },
  );

  it('removes the reminder from the message of the former Care Provider only', () => {
    const [client, careProvider] = [
      createWithStatus('QUEUED'),
      createWithStatus('QUEUED', createReminder('before', 'CARE_PROVIDER')),
    ];
    for (const reminder of [client, careProvider]) reminder.reschedule({ ...SESSION, caregiverId: 40 }, NOW);
    expect([client.status, client.messageId]).toEqual(['QUEUED', 'message']);
    expect([careProvider.status, careProvider.messageId, careProvider.queuedAt]).toEqual(['PENDING', null, null]);
  });

  it.each<[ReminderStatus, Reminder['reason']]>([
    ['DEAD', 'UNDELIVERABLE'],
    ...TIME_DEPENDENT_SKIP_REASONS.map((reason): [ReminderStatus, Reminder['reason']] => ['SKIPPED', reason]),
  ])(
    'a reminder that is %s (%s) keeps its state, but not the message to the former Care Provider',
    (status, reason) => {
      const reminder = Object.assign(createWithStatus(status, createReminder('before', 'CARE_PROVIDER')), { reason });
      const before = getState(reminder);
      reminder.reschedule({ ...SESSION, caregiverId: 40 }, DUE.add({ hours: 1 }));
      expect([getState(reminder), reminder.recipientId]).toEqual([{ ...before, messageId: null }, 40]);
    },
  );

  it('a redriven reminder is not part of a message to the former Care Provider', () => {
    const reminder = Object.assign(createWithStatus('SKIPPED', createReminder('before', 'CARE_PROVIDER')), {
      reason: 'TOO_LATE' as const,
    });
    reminder.reschedule({ ...SESSION, caregiverId: 40 }, NOW);
    reminder.redrive(NOW);
    expect([getState(reminder), reminder.recipientId]).toEqual([PENDING_STATE, 40]);
  });
});

describe('when its Session moves', () => {
  it.each(['PENDING', 'QUEUED', 'DEAD'] as const)(
    'changes from %s to PENDING for the new time, with a new message',
    (status) => {
      const reminder = createWithStatus(status);
      reminder.reschedule(A_WEEK_LATER, NOW);
      expect(getState(reminder)).toEqual(PENDING_STATE);
      expect([reminder.dueAt.toString(), reminder.sendAt.toString()]).toEqual(Array(2).fill('2027-04-03T08:00:00Z'));
      expect(reminder.history).toEqual([
        { at: 'before', what: 'QUEUED' },
        {
          at: '2027-03-10T10:00:00.000Z',
          what: 'MOVED',
          from: '2027-03-27T09:00:00.000Z',
          to: '2027-04-03T08:00:00.000Z',
        },
      ]);
    },
  );

  it('keeps its times if it counts from the creation', () => {
    const reminder = createWithStatus('PENDING', createReminder('days'));
    const times = getTimes(reminder);
    reminder.reschedule(A_WEEK_LATER, NOW);
    expect([reminder.status, getTimes(reminder), reminder.history.length]).toEqual(['PENDING', times, 1]);
  });

  it.each([
    ['15 minutes ago: is sent at once', '2027-04-03T08:15:00Z', PENDING_STATE],
    [
      'longer ago: is not sent',
      '2027-04-03T08:15:01Z',
      { ...PENDING_STATE, status: 'SKIPPED', reason: 'PAST_WHEN_PLANNED' },
    ],
  ])('to a time for which it was due %s', (_, now, expected) => {
    const reminder = createReminder();
    reminder.reschedule(A_WEEK_LATER, instant(now));
    const settledAt = expected.status === 'SKIPPED' ? now : null;
    expect([getState(reminder), reminder.sendAt.toString()]).toEqual([
      { ...expected, settledAt },
      '2027-04-03T08:00:00Z',
    ]);
    // The status stays the same until the Session is moved again.
    reminder.reschedule(A_WEEK_LATER, instant(now));
    expect(reminder.status).toBe(expected.status);
    reminder.reschedule(SESSION, NOW);
    expect([getState(reminder), reminder.dueAt.toString()]).toEqual([PENDING_STATE, DUE.toString()]);
  });

  it('is not sent again for a due time for which it was sent, but for any other', () => {
    const sentFor = new Set([DUE.epochMilliseconds]);
    const reminder = createReminder('before', 'CLIENT', A_WEEK_LATER);
    reminder.reschedule(SESSION, NOW, undefined, sentFor);
    expect(getState(reminder)).toEqual(withdrawnState('ALREADY_SENT', null));
    reminder.reschedule(A_WEEK_LATER, NOW, undefined, sentFor);
    expect(getState(reminder)).toEqual(PENDING_STATE);
  });

  it('is not sent again when the settings of the recipient change, for which the sent reminders are not read', () => {
    const reminder = createReminder('homework', 'CLIENT', A_WEEK_LATER);
    // In New York, the homework reminder is due at 22:30 UTC.
    const later = instant('2027-03-31T23:00:00Z');
    const sentFor = new Set([instant('2027-03-31T22:30:00Z').epochMilliseconds]);
    reminder.reschedule(SESSION, later, undefined, sentFor);
    const withdrawn = withdrawnState('ALREADY_SENT', null);
    for (const timeZone of ['America/New_York', 'America/Los_Angeles']) {
      expect(reminder.reschedule(SESSION, later, { quietHours: null, timeZone })).toBe(false);
      expect([getState(reminder), reminder.dueAt.toString()]).toEqual([withdrawn, '2027-03-31T22:30:00Z']);
    }
    reminder.reschedule(A_WEEK_LATER, later, { quietHours: null, timeZone: 'America/Los_Angeles' }, sentFor);
    expect([getState(reminder), reminder.dueAt.toString()]).toEqual([PENDING_STATE, '2027-04-08T01:30:00Z']);
  });
});

describe('withdrawal', () => {
  it.each<[Rule, SessionSnapshot['phase'], string | null]>([
    ...(['days', 'before', 'start', 'after', 'homework'] as const).flatMap((rule): [Rule, 'AHEAD', null][] => [
      [rule, 'AHEAD', null],
    ]),
    ...(['days', 'before', 'start', 'after', 'homework'] as const).flatMap(
      (rule): [Rule, SessionSnapshot['phase'], string][] => [
        [rule, 'CANCELLED', 'SESSION_CANCELLED'],
        [rule, 'PAUSED', 'SERIES_PAUSED'],
      ],
    ),
    ['before', 'OVER', 'SESSION_OVER'],
    ['start', 'OVER', 'SESSION_OVER'],
    ['after', 'OVER', null],
    ['homework', 'OVER', null],
    // This reminder is due after the start of the Session.
    ['days', 'OVER', null],
  ])('by the rule %s of a Session that is %s: %s', (rule, phase, reason) => {
    const reminder = createWithStatus('QUEUED', createReminder(rule));
    const before = getState(reminder);
    reminder.reschedule({ ...SESSION, phase }, NOW);
    // The message ID stays, because the message may be on its way.
    expect(getState(reminder)).toEqual({ ...before, ...(reason === null ? {} : withdrawnState(reason)) });
    expect(told(reminder).at(-1)).toEqual(reason === null ? { what: 'QUEUED' } : { what: 'WITHDRAWN', reason });
  });

  it.each<[string, ReminderRule, string]>([
    ['a day after it', { kind: 'AROUND_START', offset: 'P1D' }, 'PENDING'],
    ['the day after it, from the creation on', { kind: 'REMIND_DAYS', days: 29 }, 'PENDING'],
    ['the day before it, from the creation on', { kind: 'REMIND_DAYS', days: 27 }, 'WITHDRAWN'],
  ])('when the Session is over, unless it is due after the start: %s', (_, rule, status) => {
    const reminder = new Reminder(SESSION, 'CLIENT', rule, PLANNED_AT);
    reminder.reschedule({ ...SESSION, phase: 'OVER' }, NOW);
    expect(reminder.status).toBe(status);
  });

  it('with its homework, completed or removed, but with no other', () => {
    const reminder = createReminder('homework');
    reminder.reschedule({ ...SESSION, doneHomeworkIds: new Set([HOMEWORK_ID + 1]) }, NOW);
    expect(reminder.status).toBe('PENDING');
    reminder.reschedule({ ...SESSION, doneHomeworkIds: new Set([HOMEWORK_ID]) }, NOW);
    expect(getState(reminder)).toMatchObject(withdrawnState('HOMEWORK_DONE'));
    reminder.detachFromHomework(NOW);
    expect([getState(reminder), reminder.homeworkId]).toEqual([
      expect.objectContaining(withdrawnState('HOMEWORK_REMOVED')),
      null,
    ]);
    reminder.reschedule(SESSION, NOW);
    expect(getState(reminder)).toMatchObject(withdrawnState('HOMEWORK_REMOVED'));
  });

  it('of a reminder that was sent before only separates it from its homework', () => {
    const reminder = createWithStatus('SENT', createReminder('homework'));
    const before = getState(reminder);
    reminder.detachFromHomework(NOW);
    expect([getState(reminder), reminder.homeworkId, reminder.history.length]).toEqual([before, null, 1]);
    expect(createSuccessor(reminder, A_WEEK_LATER, NOW)).toBeNull();
  });

  it('with its recipient, and keeps an earlier reason', () => {
    const [reminder, cancelled] = [createWithStatus('QUEUED'), createReminder()];
    reminder.withdrawForInactiveRecipient(NOW);
    expect(getState(reminder)).toMatchObject(withdrawnState('RECIPIENT_LEFT'));
    cancelled.reschedule({ ...SESSION, phase: 'CANCELLED' }, NOW);
    cancelled.withdrawForInactiveRecipient(NOW);
    expect(cancelled.reason).toBe('SESSION_CANCELLED');
  });

  it.each(TIME_DEPENDENT_SKIP_REASONS)('of a reminder that was skipped for %s', (reason) => {
    const cancel = (session: SessionSnapshot) => {
      const reminder = Object.assign(createWithStatus('SKIPPED'), { reason });
      reminder.reschedule({ ...session, phase: 'CANCELLED' }, NOW);
      return reminder;
    };
    // A reminder that can be redriven, or that could be sent after a change of quiet hours or time, must not be sent while the Session is cancelled.
    const withdrawn = expect.objectContaining({ status: 'WITHDRAWN', reason: 'SESSION_CANCELLED', settledAt: null });
    expect(getState(cancel(A_WEEK_LATER))).toEqual(withdrawn);
    const unmoved = cancel(SESSION);
    if (reason === 'TOO_LATE' || reason === 'QUIET_HOURS') expect(getState(unmoved)).toEqual(withdrawn);
    else {
      expect(getState(unmoved)).toMatchObject({ status: 'SKIPPED', reason, settledAt: PLANNED_AT.toString() });
      expect(unmoved.history).toHaveLength(1);
    }
  });

  it('adds one history entry for each reason', () => {
    const reminder = createReminder();
    for (const phase of ['CANCELLED', 'CANCELLED', 'PAUSED', 'PAUSED'] as const)
      reminder.reschedule({ ...SESSION, phase }, NOW);
    expect(reminder.history.map(({ reason }) => reason)).toEqual(['SESSION_CANCELLED', 'SERIES_PAUSED']);
    // The same reason in a different status counts as a new reason.
    const dead = Object.assign(createWithStatus('DEAD'), { reason: 'SESSION_CANCELLED' });
    dead.reschedule({ ...SESSION, phase: 'CANCELLED' }, NOW);
    expect(told(dead).at(-1)).toEqual({ what: 'WITHDRAWN', reason: 'SESSION_CANCELLED' });
  });
});

describe('restoration', () => {
  const cancelled = () => {
    const reminder = createWithStatus('QUEUED');
    reminder.sendAt = DUE.add({ hours: 9 });
    reminder.reschedule({ ...SESSION, phase: 'CANCELLED' }, NOW);
    return reminder;
  };

  it('makes it PENDING with a new message', () => {
    const reminder = cancelled();
    reminder.reschedule(SESSION, DUE.subtract({ milliseconds: 1 }));
    expect([getState(reminder), reminder.sendAt.toString()]).toEqual([PENDING_STATE, DUE.toString()]);
    expect(told(reminder).at(-1)).toEqual({ what: 'RESTORED' });
  });

  it.each([0, 1])('%i ms after its due time withdraws it as MISSED', (milliseconds) => {
    const reminder = cancelled();
    reminder.reschedule(SESSION, DUE.add({ milliseconds }));
    expect(getState(reminder)).toMatchObject(withdrawnState('MISSED'));
    expect(told(reminder).at(-1)).toEqual({ what: 'WITHDRAWN', reason: 'MISSED' });
    // It stays missed, also if its Session is cancelled and restored again.
    for (const phase of ['AHEAD', 'CANCELLED', 'AHEAD'] as const)
      reminder.reschedule({ ...SESSION, phase }, DUE.add({ hours: 1 }));
    expect(getState(reminder)).toMatchObject(withdrawnState('MISSED'));
  });

  /** Changes the Session at the given number of minutes after the due time. */
  const change = (
    reminder: Reminder,
    phase: SessionSnapshot['phase'],
    minutes: number,
    settings: RecipientTimeSettings = QUIET_NIGHT,
  ) => reminder.reschedule({ ...SESSION, phase }, DUE.add({ minutes }), settings);
  /** Quiet hours from the due time, 09:00 in London, to one hour later. */
  const QUIET_NIGHT = { quietHours: { from: '09:00', to: '10:00' }, timeZone: 'Europe/London' };

  it.each([
    ['before quiet hours', -5, 5],
    ['in quiet hours', 5, 10],
  ])('keeps a reminder that waits for the end of quiet hours, if it was withdrawn %s', (_, withdrawn, restored) => {
    const reminder = createReminder();
    change(reminder, 'PAUSED', withdrawn);
    change(reminder, 'AHEAD', restored);
    expect([getState(reminder), reminder.sendAt.toString()]).toEqual([PENDING_STATE, DUE.add({ hours: 1 }).toString()]);
  });

  it('after the end of quiet hours withdraws it as MISSED', () => {
    const reminder = createReminder();
    change(reminder, 'PAUSED', 5);
    change(reminder, 'AHEAD', 60);
    expect(getState(reminder)).toMatchObject(withdrawnState('MISSED'));
  });

  it.each(['QUEUED', 'PENDING'] as const)(
    'continues the delivery of a reminder that was %s after its due time, in a new message',
    (status) => {
      const reminder = createWithStatus(status);
      change(reminder, 'CANCELLED', 1, UNREAD_TIME_SETTINGS);
      change(reminder, 'AHEAD', 20, UNREAD_TIME_SETTINGS);
      expect(getState(reminder)).toEqual(PENDING_STATE);
      // Its former message may be being sent at this moment.
      expect(reminder.sendAt.toString()).toBe(DUE.add({ minutes: 21 }).toString());
    },
  );

  it('waits for the former message of a reminder that was advanced to before its due time', () => {
    const settings = { quietHours: { from: '07:00', to: '10:00' }, timeZone: 'Europe/London' };
    const reminder = new Reminder(
      SESSION,
      'CLIENT',
      { kind: 'AROUND_START', offset: '-PT1H' },
      PLANNED_AT,
      null,
      settings,
    );
    const { sendAt } = reminder;
    expect(reminder.history.at(-1)).toMatchObject({ what: 'ADVANCED' });
    const queued = { at: sendAt.toString(), what: 'QUEUED' as const };
    Object.assign(reminder, { status: 'QUEUED', messageId: 'message', history: [...reminder.history, queued] });
    reminder.reschedule({ ...SESSION, phase: 'CANCELLED' }, sendAt.add({ seconds: 10 }), settings);
    const undoneAt = sendAt.add({ seconds: 20 });
    reminder.reschedule(SESSION, undoneAt, settings);
    expect([reminder.status, reminder.sendAt.toString()]).toEqual(['PENDING', undoneAt.add({ minutes: 1 }).toString()]);
  });

  it.each<[change: string, apply: (reminder: Reminder, now: Temporal.Instant) => unknown]>([
    ['quiet hours', (reminder, now) => reminder.updateSendTime(UNREAD_TIME_SETTINGS, now)],
    ['the start', (reminder, now) => reminder.reschedule(A_WEEK_LATER, now)],
  ])('still waits for the former message after a change of %s', (_, apply) => {
    const later = { ...SESSION, startsAt: SESSION.startsAt.add({ hours: 24 }) };
    const reminder = createWithStatus('QUEUED', createReminder('days', 'CLIENT', later));
    const { dueAt } = reminder;
    reminder.reschedule({ ...later, phase: 'CANCELLED' }, dueAt.add({ seconds: 10 }));
    reminder.reschedule(later, dueAt.add({ seconds: 20 }));
    apply(reminder, dueAt.add({ seconds: 30 }));
    expect([reminder.status, reminder.sendAt.toString()]).toEqual(['PENDING', dueAt.add({ seconds: 80 }).toString()]);
  });

  it('continues at once if the reminder was in no message', () => {
    const reminder = Object.assign(createReminder(), { sendAt: DUE.add({ minutes: 5 }) });
    change(reminder, 'CANCELLED', 1, UNREAD_TIME_SETTINGS);
    change(reminder, 'AHEAD', 20, UNREAD_TIME_SETTINGS);
    expect([getState(reminder), reminder.sendAt.toString()]).toEqual([PENDING_STATE, DUE.toString()]);
  });

  it('is MISSED once its Session has started', () => {
    const reminder = createWithStatus('QUEUED');
    reminder.reschedule({ ...SESSION, phase: 'CANCELLED' }, DUE.add({ minutes: 1 }));
    reminder.reschedule(SESSION, SESSION.startsAt);
    expect(getState(reminder)).toMatchObject(withdrawnState('MISSED'));
  });

  it.each([
    { what: 'DEAD', reason: 'UNDELIVERABLE' },
    { what: 'SKIPPED', reason: 'TOO_LATE' },
  ] as const)('brings a reminder back that could be redriven: $what, $reason', ({ what: status, reason }) => {
    const reminder = createWithStatus(status);
    const at = DUE.add({ minutes: 1 }).toString();
    Object.assign(reminder, { reason, history: [{ at, what: status, reason }] });
    change(reminder, 'CANCELLED', 2);
    reminder.reschedule(SESSION, SESSION.startsAt.add({ hours: 1 }));
    expect(reminder).toMatchObject({ status, reason });
    expect(reminder.settledAt?.toString()).toBe(at);
    expect(reminder.history.at(-1)).toMatchObject({ what: 'RESTORED' });
    reminder.redrive(NOW);
    expect(reminder.status).toBe('PENDING');
  });

  it('does not bring back a dead letter for another time', () => {
    const reminder = createWithStatus('DEAD');
    Object.assign(reminder, { history: [{ at: DUE.toString(), what: 'DEAD', reason: 'UNDELIVERABLE' }] });
    change(reminder, 'CANCELLED', 2);
    reminder.reschedule(A_WEEK_LATER, DUE.add({ minutes: 3 }));
    expect(getState(reminder)).toEqual(PENDING_STATE);
  });
});

describe('a reminder of a recipient who was deactivated', () => {
  const left = (subject = SESSION) => {
    const reminder = createReminder('homework', 'CLIENT', subject);
    reminder.withdrawForInactiveRecipient(NOW);
    return reminder;
  };

  it('stays withdrawn when its Session or the time zone of the recipient changes', () => {
    const reminder = left();
    reminder.reschedule({ ...SESSION, phase: 'OVER' }, NOW);
    reminder.reschedule(SESSION, NOW, { quietHours: null, timeZone: 'Europe/London' });
    expect(getState(reminder)).toMatchObject(withdrawnState('RECIPIENT_LEFT'));
  });

  it('is planned again for another date or recipient', () => {
    const [moved, handedOver] = [left(), createReminder('after', 'CARE_PROVIDER')];
    moved.reschedule(A_WEEK_LATER, NOW);
    handedOver.withdrawForInactiveRecipient(NOW);
    handedOver.reschedule({ ...SESSION, caregiverId: 44 }, NOW);
    expect([moved.status, handedOver.status]).toEqual(['PENDING', 'PENDING']);
  });

  it('is planned again for another date in the time zone that the recipient has since', () => {
    const reminder = left();
    reminder.reschedule(A_WEEK_LATER, NOW, { quietHours: null, timeZone: 'Europe/London' });
    expect([reminder.status, reminder.dueAt.toString()]).toEqual(['PENDING', '2027-04-07T17:30:00Z']);
  });
});

describe('a reminder whose Session has another start, and the same due time', () => {
  const LATER_START = { ...SESSION, startsAt: SESSION.startsAt.add({ hours: 2 }) };
  const createInMessage = (status: 'PENDING' | 'QUEUED') => {
    const reminder = new Reminder(SESSION, 'CLIENT', { kind: 'REMIND_DAYS', days: 20 }, PLANNED_AT);
    const failed = { at: reminder.dueAt.toString(), what: 'FAILED' as const, attempt: 1 };
    const sendAt = reminder.dueAt.add({ minutes: 5 });
    return Object.assign(reminder, { status, messageId: 'message', sendAt, history: [failed] });
  };

  it('is tried again in a new message, and its attempts count', () => {
    const reminder = createInMessage('PENDING');
    const { sendAt, history } = reminder;
    reminder.reschedule(LATER_START, reminder.dueAt.add({ seconds: 10 }));
    expect(reminder).toMatchObject({ status: 'PENDING', messageId: expect.stringMatching(/^[\da-f-]{36}$/) });
    expect([reminder.sendAt.toString(), reminder.history]).toEqual([sendAt.toString(), history]);
  });

  it('leaves the message that may be being sent, and waits for its result', () => {
    const reminder = createInMessage('QUEUED');
    const now = reminder.sendAt.add({ seconds: 10 });
    reminder.reschedule(LATER_START, now);
    expect(reminder).toMatchObject({ status: 'PENDING', queuedAt: null });
    expect(reminder.messageId).not.toBe('message');
    expect(reminder.sendAt.toString()).toBe(now.add({ minutes: 1 }).toString());
  });

  it.each(['PENDING', 'QUEUED'] as const)('stays in its message without such a change: %s', (status) => {
    const reminder = createInMessage(status);
    reminder.reschedule({ ...SESSION }, reminder.dueAt.add({ seconds: 10 }));
    expect(reminder).toMatchObject({ status, messageId: 'message' });
  });
});

describe('a sent reminder whose Session', () => {
  const renewed = (subject: SessionSnapshot, now = NOW, rule: Rule = 'before') =>
    createSuccessor(createWithStatus('SENT', createReminder(rule)), subject, now);

  it('moves gets a successor for the new time', () => {
    const reminder = renewed(A_WEEK_LATER)!;
    expect(getState(reminder)).toEqual(PENDING_STATE);
    expect(getTimes(reminder)).toMatchObject({ dueAt: '2027-04-03T08:00:00Z', createdAt: NOW.toString() });
    expect([reminder.deduplicationKey, reminder.history]).toEqual([createReminder().deduplicationKey, []]);
    expect(renewed(A_WEEK_LATER, NOW, 'homework')).toMatchObject({ homeworkId: HOMEWORK_ID, rule: RULES.homework });
  });

  it('stays, moves into the past or is cancelled gets no successor', () => {
    const due = instant('2027-04-03T08:00:00Z');
    expect(renewed(SESSION)).toBeNull();
    expect(renewed(A_WEEK_LATER, NOW, 'days')).toBeNull();
    expect(renewed(A_WEEK_LATER, due.subtract({ milliseconds: 1 }))).not.toBeNull();
    expect([renewed(A_WEEK_LATER, due), renewed(A_WEEK_LATER, due.add({ seconds: 1 }))]).toEqual([null, null]);
    expect(renewed({ ...A_WEEK_LATER, phase: 'CANCELLED' })).toBeNull();
  });
});

describe('redrive', () => {
  it('sends a dead letter at once, in a new message', () => {
    const reminder = createWithStatus('DEAD');
    reminder.redrive(NOW);
    expect(getState(reminder)).toEqual(PENDING_STATE);
    expect(getTimes(reminder)).toMatchObject({ dueAt: DUE.toString(), sendAt: NOW.toString() });
    expect(reminder.redrivenAt?.toString()).toBe(NOW.toString());
    expect(told(reminder).at(-1)).toEqual({ what: 'REDRIVEN' });
  });

  it('sends a reminder that was skipped as too late, and for no other reason', () => {
    const late = Object.assign(createWithStatus('SKIPPED'), { reason: 'TOO_LATE' as const });
    late.redrive(NOW);
    expect(getState(late)).toEqual(PENDING_STATE);
    const optedOut = Object.assign(createWithStatus('SKIPPED'), { reason: 'OPTED_OUT' as const });
    expect(() => optedOut.redrive(NOW)).toThrow('it is SKIPPED for OPTED_OUT.');
  });

  it('no longer applies once its Session has moved, or its withdrawal was reverted', () => {
    const redriven = () => {
      const reminder = createWithStatus('DEAD');
      reminder.redrive(NOW);
      return reminder;
    };
    const [moved, restored] = [redriven(), redriven()];
    moved.reschedule(A_WEEK_LATER, NOW);
    restored.reschedule({ ...SESSION, phase: 'CANCELLED' }, NOW);
    restored.reschedule(SESSION, NOW);
    for (const reminder of [moved, restored]) {
      expect([getState(reminder), reminder.redrivenAt]).toEqual([PENDING_STATE, null]);
      expect(reminder.sendAt.toString()).toBe(reminder.dueAt.toString());
    }
  });

  it('still applies after a change that does not move it', () => {
    const reminder = createWithStatus('DEAD');
    reminder.redrive(NOW);
    reminder.reschedule({ ...SESSION, caregiverId: 40 }, NOW);
    expect([reminder.redrivenAt?.toString(), reminder.sendAt.toString()]).toEqual(Array(2).fill(NOW.toString()));
  });

  it.each(REMINDER_STATUSES.filter((status) => status !== 'DEAD'))('refuses a reminder that is %s', (status) => {
    const reminder = createWithStatus(status);
    const before = getState(reminder);
    expect(() => reminder.redrive(NOW)).toThrow(ConflictError);
    expect(() => reminder.redrive(NOW)).toThrow(
      `Only a reminder that is DEAD, or SKIPPED for TOO_LATE, can be sent again; it is ${status}`,
    );
    expect(getState(reminder)).toEqual(before);
  });
});
