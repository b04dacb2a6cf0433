import { isBefore } from '../../shared/time/is-before.js';
import type { HistoryEntry } from './reminder-history.js';
import type { Reminder } from './reminder.entity.js';

/** When a message was sent, and the start of the Session that it told. */
type ToldStart = { at: Temporal.Instant; startsAt: Temporal.Instant };

/**
 * Finds the starts of a Session that its reminders have told before they had passed.
 *
 * @param reminders reminders of the Session to one recipient
 */
export function findToldStarts(reminders: readonly Readonly<Reminder>[]): ToldStart[] {
  return reminders.filter(({ kind, isNotice }) => kind === 'SESSION' && !isNotice).flatMap(findStartsToldBy);
}

/** Whether the last message that told the start of the Session has told a former one. */
export function isLastToldStartFormer(told: readonly ToldStart[], startsAt: Temporal.Instant): boolean {
  const last = told.toSorted((a, b) => Temporal.Instant.compare(a.at, b.at)).at(-1);
  return last !== undefined && !last.startsAt.equals(startsAt);
}

/** The start that the message of a sent reminder told. An earlier release did not record it. */
export function findStartInMessage({ history, notAfter }: Readonly<Reminder>): Temporal.Instant | null {
  const { startsAt } = history.findLast(({ what }) => what === 'SENT') ?? {};
  return startsAt === undefined ? notAfter : Temporal.Instant.from(startsAt);
}

/**
 * Finds the starts that one reminder has told. There can be several: if its Session moved while its message was being
 * sent, the reminder is sent again.
 */
function findStartsToldBy(reminder: Readonly<Reminder>): ToldStart[] {
  const { status, history, notAfter, settledAt, sendAt } = reminder;
  const told = findMessagesToRecipient(reminder).flatMap(({ at, startsAt }) =>
    startsAt === undefined ? [] : { at: Temporal.Instant.from(at), startsAt: Temporal.Instant.from(startsAt) },
  );
  // An earlier release did not record the start.
  const isUnrecorded = status === 'SENT' && history.findLast(({ what }) => what === 'SENT')?.startsAt === undefined;
  if (isUnrecorded && notAfter !== null) told.push({ at: settledAt ?? sendAt, startsAt: notAfter });
  return told.filter(({ at, startsAt }) => isBefore(at, startsAt));
}

/** A message that was queued before the last handover to another Care Provider had another recipient. */
function findMessagesToRecipient({ recipientKind, history }: Readonly<Reminder>): HistoryEntry[] {
  const handover = recipientKind === 'CLIENT' ? -1 : history.findLastIndex(({ what }) => what === 'HANDED_OVER');
  return history.filter(
    ({ what }, index) =>
      what === 'SENT' && history.slice(0, index).findLastIndex((earlier) => earlier.what === 'QUEUED') >= handover,
  );
}
