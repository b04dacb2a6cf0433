import type { Reminder } from './reminder.entity.js';

/**
 * Whether the last reminder that told its recipient the start of a Session has told a former one.
 *
 * @param sent sent reminders of the Session to one recipient
 */
export function announceFormerStart(
  sent: readonly Readonly<Pick<Reminder, 'notAfter' | 'sendAt'>>[],
  startsAt: Temporal.Instant,
): boolean {
  const last = sent
    .filter(({ notAfter }) => notAfter !== null)
    .toSorted((a, b) => Temporal.Instant.compare(a.sendAt, b.sendAt))
    .at(-1);
  return last !== undefined && !last.notAfter!.equals(startsAt);
}
