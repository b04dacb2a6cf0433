import type { HistoryEntry } from './reminder-history.js';
import type { Reminder } from './reminder.entity.js';
import { findToldStarts, isLastToldStartFormer } from './told-starts.js';

const instant = (text: string) => Temporal.Instant.from(text);
const START = '2027-03-02T10:00:00Z';
const FORMER = '2027-03-02T08:00:00Z';
const SENT_AT = '2027-03-01T10:00:00Z';
const LATER = '2027-03-01T12:00:00Z';
const sent = (at: string, startsAt: string): HistoryEntry => ({ at, what: 'SENT', startsAt });

/** A reminder to a Client that was sent, with the start in its history. */
function createSent(change: Partial<Reminder> = {}): Reminder {
  const state = { kind: 'SESSION', isNotice: false, recipientKind: 'CLIENT', status: 'SENT' } as const;
  const times = { notAfter: instant(START), sendAt: instant(SENT_AT), settledAt: instant(SENT_AT) };
  return { ...state, ...times, history: [sent(SENT_AT, START)], ...change } as Reminder;
}
const toldBy = (...reminders: Reminder[]) =>
  findToldStarts(reminders).map(({ at, startsAt }) => [at.toString(), startsAt.toString()]);

describe('the starts that a reminder has told', () => {
  const handover: HistoryEntry = { at: SENT_AT, what: 'HANDED_OVER', toCareProviderId: 5 };
  const queued: HistoryEntry = { at: SENT_AT, what: 'QUEUED' };
  const ofMessages = [sent(SENT_AT, FORMER), sent(LATER, START)];
  const told = [SENT_AT, START];

  it.each<[string, Partial<Reminder>, string[][]]>([
    ['the start in its message', {}, [told]],
    [
      'that of each message, whatever its status',
      { status: 'PENDING', history: ofMessages },
      ofMessages.map((one) => [one.at, one.startsAt!]),
    ],
    ['none, if it was not sent', { status: 'PENDING', history: [] }, []],
    ['none, if it was sent after the start', { history: [sent(START, START)] }, []],
    ['none, if it is about homework', { kind: 'HOMEWORK' }, []],
    ['none, if it is a notice', { isNotice: true }, []],
    ['the start in its row, if its history has none', { history: [{ at: SENT_AT, what: 'SENT' }] }, [told]],
    ['none, if neither has one', { history: [{ at: SENT_AT, what: 'SENT' }], notAfter: null }, []],
    [
      'none of a former Care Provider, whose message was being sent at the handover',
      { recipientKind: 'CARE_PROVIDER', status: 'PENDING', history: [queued, handover, sent(SENT_AT, START)] },
      [],
    ],
    [
      'that of the new Care Provider',
      { recipientKind: 'CARE_PROVIDER', history: [queued, ...ofMessages, handover, queued, sent(SENT_AT, START)] },
      [told],
    ],
    [
      'also the start in its row, if only the last message has none',
      { history: [sent(SENT_AT, FORMER), { at: LATER, what: 'SENT' }], settledAt: instant(LATER) },
      [
        [SENT_AT, FORMER],
        [LATER, START],
      ],
    ],
    ['none in its row, if it was sent after that', { history: [], settledAt: instant(START) }, []],
    [
      'none of a former Care Provider',
      { recipientKind: 'CARE_PROVIDER', status: 'PENDING', history: [...ofMessages, handover] },
      [],
    ],
    ['also before a handover, if the recipient is the Client', { history: [sent(SENT_AT, START), handover] }, [told]],
  ])('%s', (_, change, expected) => {
    expect(toldBy(createSent(change))).toEqual(expected);
  });
});

it.each([
  ['nothing was told', [], false],
  ['the present start was told', [START], false],
  ['a former start was told', [FORMER], true],
  ['the present start was told after a former one', [FORMER, START], false],
  ['a former start was told after the present one', [START, FORMER], true],
])('%s', (_, starts, expected) => {
  const told = starts.map((startsAt, hours) => ({ at: instant(SENT_AT).add({ hours }), startsAt: instant(startsAt) }));
  expect(isLastToldStartFormer(told, instant(START))).toBe(expected);
  expect(isLastToldStartFormer(told.toReversed(), instant(START))).toBe(expected);
});
