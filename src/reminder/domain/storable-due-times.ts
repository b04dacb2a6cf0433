import { ConflictError, InvalidRequestError } from '../../shared/errors/index.js';
import { isStorableInstant } from '../../shared/persistence/index.js';

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
