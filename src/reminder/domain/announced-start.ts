import type { Reminder } from './reminder.entity.js';

/**
 * Whether reminders have told their recipient only former starts of a Session, but not its current one.
 *
 * @param sent sent reminders of the Session to one recipient
 */
export function announceOnlyFormerStarts(
  sent: readonly Readonly<Pick<Reminder, 'notAfter'>>[],
  startsAt: Temporal.Instant,
): boolean {
  const announced = sent.flatMap(({ notAfter }) => notAfter ?? []);
  return announced.length > 0 && !announced.some((start) => start.equals(startsAt));
}
