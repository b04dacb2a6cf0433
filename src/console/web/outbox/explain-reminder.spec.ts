import type { ReminderEvent, ReminderWithHistory } from '@care-scheduling/client';
import { jest } from '@jest/globals';
import { explainReminder } from './explain-reminder.js';
import { explanationText } from './explanation.text.js';
import { parseReminderRule } from './reminder-rule.js';

const at = '2027-03-20T09:30:00.000Z';
const later = '2027-03-20T10:45:00.000Z';
const reminder = (change: Partial<ReminderWithHistory> = {}): ReminderWithHistory => ({
  ...{ id: 1, sessionId: 11, homeworkId: null, kind: 'SESSION', recipientKind: 'CLIENT', recipientId: 1 },
  ...{ dueAt: at, sendAt: at, status: 'PENDING', reason: null, messageId: null, channel: null, history: [] },
  ...change,
});
const context = { timeZone: 'UTC', careProviders: new Map([[2, 'Ines']]) };
const explain = (event: ReminderEvent, language: keyof typeof explanationText = 'en', startsAt?: string) =>
  explainReminder(reminder({ history: [event] }), explanationText[language], { ...context, language, startsAt })
    .steps[0]!.sentences;

// Texts have the year unless it is the current one.
beforeEach(() => jest.useFakeTimers({ now: Date.parse(at) }));
afterEach(() => jest.useRealTimers());

const anchor = 'the start of the Session';
const EVENTS: [ReminderEvent, RegExp][] = [
  [{ at, what: 'PLANNED', rule: 'reminders -P1DT2H', anchor }, /1 day and 2 hours before/],
  [{ at, what: 'PLANNED', rule: 'reminders +PT30M', anchor }, /30 minutes after/],
  [{ at, what: 'PLANNED', rule: 'reminders PT0S', anchor }, /for the start/],
  [{ at, what: 'PLANNED', rule: 'remindDays 3', anchor }, /3 days after the Session was created/],
  [{ at, what: 'PLANNED', rule: 'assignReminds day 2 at 18:00 in Europe/London', anchor }, /day 2 .* 18:00 \(London\)/],
  [
    { at, what: 'PLANNED', rule: `sessionErased ${later}`, anchor: 'the erasure of the Client' },
    /10:45 was cancelled.*erased/,
  ],
  [{ at, what: 'PLANNED', rule: 'something new', anchor }, /“something new”, counted from the start/],
  [{ at, what: 'MOVED', from: at, to: later }, /Session moved.*09:30.*10:45/],
  [{ at, what: 'MOVED', from: at, to: later, reason: 'TIME_ZONE' }, /time zone has changed.*09:30.*10:45/],
  [{ at, what: 'HANDED_OVER', fromCareProviderId: 2, toCareProviderId: 3 }, /from Ines to Care Provider 3/],
  ...Object.keys(explanationText.en.withdrawn).map((reason): [ReminderEvent, RegExp] => [
    { at, what: 'WITHDRAWN', reason },
    /It is not sent/,
  ]),
  [{ at, what: 'WITHDRAWN', reason: 'NEW' }, /\(NEW\)/],
  [{ at, what: 'RESTORED' }, /no longer holds/],
  [{ at, what: 'DEFERRED', reason: 'QUIET_HOURS', until: later }, /quiet hours.*10:45/],
  [{ at, what: 'DEFERRED', reason: 'CHANNEL_BUSY', until: later, times: 4 }, /busy.*10:45.*4 times/],
  [{ at, what: 'ADVANCED', reason: 'QUIET_HOURS', until: later }, /last minute before they begin.*10:45/],
  [{ at, what: 'RESCHEDULED', from: at, to: later }, /10:45 instead of .*09:30/],
  [{ at, what: 'QUEUED', messageId: 'x' }, /message was queued/],
  [{ at, what: 'QUEUED', reason: 'JOB_LOST' }, /lost/],
  [
    { at, what: 'FAILED', attempt: 2, channel: 'EMAIL', errorClass: 'TimeoutError', until: later },
    /2 by e-mail.*Timeout.*10:45/,
  ],
  [{ at, what: 'FAILED', attempt: 1 }, /by its channel failed\.$/],
  [{ at, what: 'SENT', channel: 'SMS', late: true, fallback: 'LOCALE' }, /by SMS.*late.*Clinic’s was used/],
  ...Object.keys(explanationText.en.skipped).map((reason): [ReminderEvent, RegExp] => [
    { at, what: 'SKIPPED', reason },
    /It was not sent/,
  ]),
  [{ at, what: 'SKIPPED', reason: 'NEW' }, /\(NEW\)/],
  ...Object.keys(explanationText.en.dead).map((reason): [ReminderEvent, RegExp] => [
    { at, what: 'DEAD', reason },
    /could not be delivered:/,
  ]),
  [{ at, what: 'DEAD', reason: 'NEW' }, /\(NEW\)/],
  [{ at, what: 'REDRIVEN' }, /The Clinic sent it again/],
];

it.each(EVENTS)('tells %j', (event, expected) => {
  expect(explain(event).join(' ')).toMatch(expected);
});

it.each(['de', 'es', 'fr'] as const)('tells each event in %s as well, and differently', (language) => {
  for (const [event] of EVENTS) {
    const told = explain(event, language);
    expect(told.length).toBe(explain(event).length);
    expect(told.join(' ')).not.toBe(explain(event).join(' '));
    expect(told.join(' ')).not.toMatch(/undefined|null|\[object/);
  }
});

it.each(['en', 'de', 'es', 'fr'] as const)('has the same reasons in %s as in English', (language) => {
  for (const group of ['withdrawn', 'skipped', 'dead', 'channels'] as const)
    expect(Object.keys(explanationText[language][group])).toEqual(Object.keys(explanationText.en[group]));
});

it('tells the start of the Session and a clock change before it', () => {
  const startsAt = '2027-03-28T09:30:00.000Z';
  const tell = (rule: string) =>
    explainReminder(
      reminder({ dueAt: '2027-03-27T10:30:00.000Z', history: [{ at, what: 'PLANNED', rule, anchor }] }),
      explanationText.en,
      { ...context, timeZone: 'Europe/London', language: 'en', startsAt },
    ).steps[0]!.sentences.join(' ');
  expect(tell('reminders -P1D')).toMatch(/planned for Sun,? 28 Mar, 10:30.*clocks change.*in days.*usual time of day/);
  expect(tell('reminders -PT24H')).toMatch(/clocks change.*in hours.*time of day differs/);
  expect(explain({ at, what: 'PLANNED', rule: 'reminders -P1D', anchor }, 'en', later).join(' ')).not.toMatch(/clocks/);
});

it.each<[Partial<ReminderWithHistory>, RegExp]>([
  [{}, /will be sent on .*09:30\.$/],
  [{ sendAt: later }, /will be sent on .*10:45.*due on .*09:30/],
  [{ optedOut: true }, /^It will not be sent .* does not want/],
  [{ optedOut: false, status: 'QUEUED' }, /being sent/],
  [{ status: 'SENT' }, /was sent/],
  [{ status: 'DEAD', reason: 'UNDELIVERABLE' }, /no channel/],
  [{ status: 'WITHDRAWN', reason: 'HOMEWORK_DONE' }, /is done/],
  [{ status: 'SKIPPED', reason: 'AFTER_DUE' }, /after the homework was due/],
  [{ status: 'SKIPPED', reason: null }, /\(–\)/],
])('sums up %j', (change, expected) => {
  const { summary } = explainReminder(reminder(change), explanationText.en, { ...context, language: 'en' });
  expect(summary.join(' ')).toMatch(expected);
});

it('does not know rules of other forms', () => {
  for (const text of [
    '',
    'reminders',
    'reminders -1D',
    'remindDays -1',
    'assignReminds day x at 18:00 in UTC',
    'sessionErased',
  ])
    expect(parseReminderRule(text)).toBeUndefined();
});
