import type { Reminder, ReminderWithHistoryModel } from '../../../reminder/index.js';
import { formatDayAndTime, formatTime } from './format.js';

export const REMINDER_RESULT_KINDS = ['SENT', 'DEFERRED', 'WITHDRAWN', 'NOT_SENT'] as const;

/** DEFERRED reminders were sent later than due. NOT_SENT reminders were skipped, are dead letters or are unfinished. */
export type ReminderResult = {
  kind: (typeof REMINDER_RESULT_KINDS)[number];
  /** The time of the reminder's last event, in the Client's time zone. */
  at: Temporal.ZonedDateTime | null;
  explanation: string | null;
};

const REASONS: Readonly<Record<string, string>> = {
  HOMEWORK_DONE: 'the homework is done',
  HOMEWORK_REMOVED: 'the homework was withdrawn',
  SESSION_CANCELLED: 'the Session is cancelled',
  SESSION_OVER: 'the Session is over',
  SERIES_PAUSED: 'the series is paused',
  RECIPIENT_LEFT: 'the recipient is deactivated',
  RECIPIENT_GONE: 'the recipient is deactivated',
  MISSED: 'its time had passed when it was planned again',
  OPTED_OUT: 'the recipient has opted out',
  TOO_LATE: 'it would have been too late',
  PAST_WHEN_PLANNED: 'its time had passed when it was planned',
  SESSION_STARTED: 'the Session had begun',
  AFTER_DUE: 'the homework was due before',
  ALREADY_SENT: 'it was already sent for this time',
  QUIET_HOURS: 'quiet hours',
  CHANNEL_BUSY: 'the channel was busy',
  UNDELIVERABLE: 'no channel reaches the recipient',
  LATENESS_REACHED: 'it could not be delivered in time',
  ATTEMPTS_EXHAUSTED: 'the process stopped during each attempt',
} satisfies Record<NonNullable<Reminder['reason']> | 'CHANNEL_BUSY', string>;

/** Determines the result of a reminder from its history. */
export function toReminderResult(
  { status, reason, history }: ReminderWithHistoryModel,
  timeZone: string,
): ReminderResult {
  const last = history.at(-1)!;
  const at = Temporal.Instant.from(last.at).toZonedDateTimeISO(timeZone);
  const deferral = history.findLast(({ what }) => what === 'DEFERRED');
  if (status === 'WITHDRAWN') return { kind: 'WITHDRAWN', at, explanation: describeReason(reason) };
  if (status !== 'SENT') return { kind: 'NOT_SENT', at, explanation: describeReason(reason ?? status) };
  if (history.some(({ what }) => what === 'ADVANCED'))
    return { kind: 'SENT', at, explanation: 'before the quiet hours' };
  if (deferral !== undefined) return { kind: 'DEFERRED', at, explanation: describeReason(deferral.reason) };
  return { kind: 'SENT', at, explanation: last.late === true ? 'late' : null };
}

function describeReason(reason: string | null | undefined): string {
  return REASONS[reason ?? ''] ?? String(reason).toLowerCase().replaceAll('_', ' ');
}

/** Formats the time and reason of a result. Returns an empty string if the reminder was sent when due. */
export function formatReminderResult({ kind, at, explanation }: ReminderResult, due: Temporal.ZonedDateTime): string {
  const isSameDay = at?.toPlainDate().equals(due.toPlainDate());
  const isOnTime = kind === 'SENT' && explanation === null;
  const when = at === null || isOnTime ? null : isSameDay ? formatTime(at) : formatDayAndTime(at);
  return [when, explanation].filter((part) => part !== null).join(', ');
}
