import type { ReminderStoryModel } from '../../../reminder/index.js';
import { dayAndTime, timeOf } from './format.js';

export const OUTCOMES = ['SENT', 'DEFERRED', 'WITHDRAWN', 'NOT_SENT'] as const;

/** What has become of a reminder. DEFERRED: sent, but later than it was due. NOT_SENT: skipped, dead or still open. */
export type Outcome = {
  what: (typeof OUTCOMES)[number];
  /** When it was settled, on the Client's wall clock. */
  at: Temporal.ZonedDateTime | null;
  why: string | null;
};

const REASONS: Readonly<Record<string, string>> = {
  HOMEWORK_DONE: 'the homework is done',
  HOMEWORK_REMOVED: 'the homework was taken back',
  SESSION_CANCELLED: 'the Session is cancelled',
  SESSION_OVER: 'the Session is over',
  SERIES_PAUSED: 'the series is paused',
  RECIPIENT_LEFT: 'the recipient has left',
  RECIPIENT_GONE: 'the recipient has left',
  MISSED: 'its time had passed when it came back',
  OPTED_OUT: 'the recipient does not want these',
  TOO_LATE: 'it would have been too late',
  PAST_WHEN_PLANNED: 'its time had passed when it was planned',
  SESSION_STARTED: 'the Session had begun',
  AFTER_DUE: 'the homework was due before',
  ALREADY_SENT: 'it was sent for this time before',
  QUIET_HOURS: 'quiet hours',
  CHANNEL_BUSY: 'the channel was busy',
  UNDELIVERABLE: 'no channel reaches the recipient',
  LATENESS_REACHED: 'it could not be delivered in time',
};

/** Read from the story that the reminder tells of itself. */
export function outcomeOf({ status, reason, story }: ReminderStoryModel, timeZone: string): Outcome {
  const last = story.at(-1)!;
  const at = Temporal.Instant.from(last.at).toZonedDateTimeISO(timeZone);
  const deferral = story.findLast(({ what }) => what === 'DEFERRED');
  if (status === 'WITHDRAWN') return { what: 'WITHDRAWN', at, why: wordsOf(reason) };
  if (status !== 'SENT') return { what: 'NOT_SENT', at, why: wordsOf(reason ?? status) };
  if (story.some(({ what }) => what === 'ADVANCED')) return { what: 'SENT', at, why: 'before the quiet hours' };
  if (deferral !== undefined) return { what: 'DEFERRED', at, why: wordsOf(deferral.reason) };
  return { what: 'SENT', at, why: last.late === true ? 'late' : null };
}

function wordsOf(reason: string | null | undefined): string {
  return REASONS[reason ?? ''] ?? String(reason).toLowerCase().replaceAll('_', ' ');
}

/** When and why, where it was not simply sent when it was due. */
export function explained({ what, at, why }: Outcome, due: Temporal.ZonedDateTime): string {
  const isSameDay = at?.toPlainDate().equals(due.toPlainDate());
  const when = at === null || what === 'SENT' ? null : isSameDay ? timeOf(at) : dayAndTime(at);
  return [when, why].filter((part) => part !== null).join(', ');
}
