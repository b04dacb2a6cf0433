import { isBefore } from '../../shared/time/index.js';
import { endOfQuietHours, type QuietHours } from './timing/quiet-hours.js';

/** What a reminder is about. */
export const REMINDER_KINDS = ['SESSION', 'HOMEWORK'] as const;
export type ReminderKind = (typeof REMINDER_KINDS)[number];

/** Why a reminder is not sent at all. */
export type SkipReason =
  'OPTED_OUT' | 'TOO_LATE' | 'RECIPIENT_GONE' | 'PAST_WHEN_PLANNED' | 'SESSION_STARTED' | 'AFTER_DUE' | 'QUIET_HOURS';

/** What becomes of a reminder whose time has come. */
export type DeliveryDecision =
  | { what: 'SEND'; late: boolean; expectedAt: Temporal.Instant }
  | { what: 'DEFER'; until: Temporal.Instant; reason: 'QUIET_HOURS' }
  | { what: 'SKIP'; reason: SkipReason };

export type DueReminder = {
  kind: ReminderKind;
  dueAt: Temporal.Instant;
  /** When it is handed over: when it is due, or earlier or later for quiet hours or another attempt. */
  sendAt: Temporal.Instant;
  /** The start of the Session that it leads up to; null: it does not. */
  notAfter: Temporal.Instant | null;
  /** When somebody asked for it to be sent again. */
  redrivenAt: Temporal.Instant | null;
};

/** What of a recipient's preference decides when and whether. */
export type Wishes = { optedOut: ReadonlySet<ReminderKind>; quietHours: QuietHours | null; timeZone: string };

/** Later than this after its time, a reminder says that it is late. */
const LATE_AFTER = Temporal.Duration.from({ minutes: 15 });

/**
 * Whether a reminder is sent now, and if not, why. Asked when it is handed over, and again at the moment of
 * sending, as hours may have passed between the two. Pure, so that the answer can be tested and explained.
 *
 * @param maxLateness older ones are not sent any more; what quiet hours hold back is not late, and what they have
 * held back in time is sent at their end
 */
export function decideDelivery(
  { kind, dueAt, sendAt, notAfter, redrivenAt }: DueReminder,
  { optedOut, quietHours, timeZone }: Wishes,
  maxLateness: Temporal.Duration,
  now: Temporal.Instant,
): DeliveryDecision {
  if (optedOut.has(kind)) return { what: 'SKIP', reason: 'OPTED_OUT' };
  const awake = (instant: Temporal.Instant) =>
    (quietHours && endOfQuietHours(instant, quietHours, timeZone)) ?? instant;
  const isAdvanced = redrivenAt === null && isBefore(sendAt, dueAt);
  const expectedAt = isAdvanced ? sendAt : awake(redrivenAt ?? dueAt);
  // Deferred until the quiet hours that have just ended: in time when they began, or it would have been skipped then.
  const isHeldBack =
    isBefore(expectedAt, sendAt) &&
    awake(sendAt.subtract({ milliseconds: 1 })).equals(sendAt) &&
    !isBefore(sendAt.add(LATE_AFTER), now);
  if (isBefore(expectedAt.add(maxLateness), now) && !isHeldBack) return { what: 'SKIP', reason: 'TOO_LATE' };
  // Who asks for it to be sent again wants it, whether the Session has begun or not.
  const start = redrivenAt === null ? notAfter : null;
  if (start !== null && !isBefore(now, start)) return { what: 'SKIP', reason: 'SESSION_STARTED' };
  const until = awake(now);
  if (start !== null && !until.equals(now) && !isBefore(until, start)) return { what: 'SKIP', reason: 'QUIET_HOURS' };
  if (!until.equals(now)) return { what: 'DEFER', until, reason: 'QUIET_HOURS' };
  return {
    what: 'SEND',
    late: isBefore((isAdvanced ? dueAt : awake(dueAt)).add(LATE_AFTER), now),
    // What quiet hours have held back in time is expected at their end, whatever they are now.
    expectedAt: isHeldBack ? sendAt : expectedAt,
  };
}
