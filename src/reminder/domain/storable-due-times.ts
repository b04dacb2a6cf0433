import { ConflictError, InvalidRequestError } from '../../shared/errors/index.js';
import { isStorableInstant } from '../../shared/persistence/index.js';
import { computeDueTime, computeNotAfter, withTimeZone } from './reminder-rule.js';
import type { Reminder } from './reminder.entity.js';
import type { SessionSnapshot } from './session-data.js';
import { UNREAD_TIME_SETTINGS, type RecipientTimeSettings } from './timing/quiet-hours.js';
import { planSendTime } from './timing/send-time.js';

type DueTimes = { dueAt: Temporal.Instant; sendAt: Temporal.Instant };

/**
 * Asserts that reminders are due and sent in the years 1 to 9999 in UTC.
 *
 * @param pointer JSON pointer to the request field that determines the times; undefined if there is no such field
 * @throws InvalidRequestError when a time is out of range and a pointer is given
 * @throws ConflictError when a time is out of range and no pointer is given
 */
export function assertStorableDueTimes(reminders: readonly DueTimes[], pointer: string | undefined): void {
  const isInRange = ({ dueAt, sendAt }: DueTimes) =>
    isStorableInstant(dueAt) && (sendAt === dueAt || isStorableInstant(sendAt));
  if (reminders.every(isInRange)) return;
  if (pointer === undefined) throw new ConflictError('A reminder would not be due in the years 1 to 9999.');
  throw new InvalidRequestError([{ pointer, detail: 'every reminder must be due in the years 1 to 9999' }]);
}

/**
 * Whether the times of a reminder can be stored after a change of its recipient's settings or of time zone data. If they
 * cannot, the reminder keeps its times, so that the change of the others succeeds.
 *
 * @param session undefined if only the send time changes
 */
export function canStoreNewTimes(
  reminder: Pick<Reminder, 'rule' | 'createdAt' | 'dueAt' | 'notAfter'>,
  session: SessionSnapshot | undefined,
  now: Temporal.Instant,
  settings: RecipientTimeSettings = UNREAD_TIME_SETTINGS,
): boolean {
  let { dueAt, notAfter } = reminder;
  if (session !== undefined) {
    dueAt = computeDueTime(withTimeZone(reminder.rule, settings), session, reminder.createdAt);
    notAfter = computeNotAfter(reminder.rule, session, dueAt);
  }
  const planned = planSendTime({ dueAt, notAfter }, settings, now);
  return isStorableInstant(dueAt) && (planned.action === 'SKIP' || isStorableInstant(planned.sendAt));
}
