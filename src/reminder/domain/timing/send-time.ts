import { isBefore } from '../../../shared/time/index.js';
import { endOfQuietHours, lastMinuteBefore, type QuietHours } from './quiet-hours.js';

/** What of a recipient's settings decides when a reminder is sent. */
export type RecipientHours = { quietHours: QuietHours | null; timeZone: string };

/** Of a recipient whose settings were not looked up, as they change nothing. */
export const ANY_TIME: RecipientHours = Object.freeze({ quietHours: null, timeZone: 'UTC' });

/** A reminder that was due longer ago than this when it is planned is not sent. */
const GRACE = Temporal.Duration.from({ minutes: 15 });
/** A reminder that leads up to a Session is not deferred until later than this before the start. */
const LEAD = Temporal.Duration.from({ minutes: 30 });

/** When a reminder is to be sent, as far as is known when it is planned. `why`: quiet hours change the time. */
export type PlannedSending =
  { what: 'SEND'; at: Temporal.Instant; why?: 'DEFERRED' | 'ADVANCED' } | { what: 'SKIP'; reason: 'QUIET_HOURS' };

/** `notAfter`: the start of the Session that the reminder leads up to; null: it does not. */
type Times = { dueAt: Temporal.Instant; notAfter: Temporal.Instant | null };

/**
 * Whether a reminder is planned too late to be sent: longer than 15 minutes after its time, or when the Session that
 * it leads up to has begun, as somebody enters or corrects a record.
 *
 * Source: docs/decisions.md, "Reminders of the past".
 */
export function isPastWhenPlanned({ dueAt, notAfter }: Times, now: Temporal.Instant): boolean {
  return isBefore(dueAt.add(GRACE), now) || (notAfter !== null && !isBefore(now, notAfter));
}

/**
 * Works out when a reminder is sent. Quiet hours defer it until their end. A reminder that leads up to a Session is
 * not deferred beyond 30 minutes before the start: it is sent in the last minute before the quiet hours instead;
 * where that minute is past, at their end if the Session has not begun by then, else not at all.
 *
 * Source: docs/decisions.md, "Quiet hours around a Session".
 */
export function planSending(
  { dueAt, notAfter }: Times,
  { quietHours, timeZone }: RecipientHours,
  now: Temporal.Instant,
): PlannedSending {
  const end = quietHours && endOfQuietHours(dueAt, quietHours, timeZone);
  if (end === null) return { what: 'SEND', at: dueAt };
  const deferred = { what: 'SEND', at: end, why: 'DEFERRED' } as const;
  if (notAfter === null || !isBefore(notAfter.subtract(LEAD), end)) return deferred;
  const minute = lastMinuteBefore(dueAt, quietHours!, timeZone);
  if (isBefore(now, minute.add({ minutes: 1 }))) return { what: 'SEND', at: minute, why: 'ADVANCED' };
  return isBefore(end, notAfter) ? deferred : { what: 'SKIP', reason: 'QUIET_HOURS' };
}
