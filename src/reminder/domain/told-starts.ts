import { isBefore } from '../../shared/time/is-before.js';
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

/** A reminder can have told several: if its Session moved while its message was being sent, it is sent again. */
function findStartsToldBy(reminder: Readonly<Reminder>): ToldStart[] {
  const { recipientKind, status, history, notAfter, settledAt, sendAt } = reminder;
  // Messages before a handover to another Care Provider had another recipient.
  const first = recipientKind === 'CLIENT' ? 0 : history.findLastIndex(({ what }) => what === 'HANDED_OVER') + 1;
  const told = history
    .slice(first)
    .flatMap(({ at, startsAt }) =>
      startsAt === undefined ? [] : { at: Temporal.Instant.from(at), startsAt: Temporal.Instant.from(startsAt) },
    );
  // An earlier release did not record the start.
  if (told.length === 0 && status === 'SENT' && notAfter !== null)
    return [{ at: settledAt ?? sendAt, startsAt: notAfter }];
  return told.filter(({ at, startsAt }) => isBefore(at, startsAt));
}
