import type { DeadLetterReason, ReminderStatus, SkipReason, WithdrawalReason } from './reminder-status.js';

/** The events of a history. Planning itself has no entry; it is derived from `createdAt` and the rule. */
export const HISTORY_EVENTS = [
  'MOVED',
  'HANDED_OVER',
  'WITHDRAWN',
  'RESTORED',
  'DEFERRED',
  'ADVANCED',
  'RESCHEDULED',
  'QUEUED',
  'FAILED',
  'SENT',
  'SKIPPED',
  'DEAD',
  'REDRIVEN',
] as const;

/** Why a reminder is deferred: QUIET_HOURS of the recipient, or a channel that is busy. */
export const DEFERRAL_REASONS = ['QUIET_HOURS', 'CHANNEL_BUSY'] as const;
export type DeferralReason = (typeof DEFERRAL_REASONS)[number];

/** Other reasons of events that do not end the delivery. TIME_ZONE: of a move. JOB_LOST: why it was queued again. */
export const MOVE_AND_QUEUE_REASONS = ['TIME_ZONE', 'JOB_LOST'] as const;

/** The data of an event, such as the reason, the channel, or the times before and after a move. */
export type HistoryDetails = {
  reason?: SkipReason | WithdrawalReason | DeadLetterReason | DeferralReason | (typeof MOVE_AND_QUEUE_REASONS)[number];
  from?: string;
  to?: string;
  until?: string;
  fromCareProviderId?: number;
  toCareProviderId?: number;
  times?: number;
  attempt?: number;
  errorClass?: string;
  messageId?: string;
  startsAt?: string;
  channel?: string;
  fallback?: string;
  providerId?: string;
  late?: boolean;
};

/** An event without its time. */
export type HistoryEvent = { what: (typeof HISTORY_EVENTS)[number] } & HistoryDetails;

/** An event in a reminder's history. `at` is its time, ISO 8601 in UTC. */
export type HistoryEntry = { at: string } & HistoryEvent;

/** All new reminders share one array, so a bulk insert sends it only once. */
export const EMPTY_HISTORY = Object.freeze<HistoryEntry[]>([]) as HistoryEntry[];

type SentReminder = { status: ReminderStatus; history: readonly HistoryEntry[]; dueAt: Temporal.Instant };

/** Returns the due times for which a reminder was sent, in milliseconds since 1970. */
export function findSentDueTimes(reminder: SentReminder): number[] {
  return findSentMessages(reminder).map(({ dueAt }) => dueAt);
}

/**
 * Returns the messages in which a reminder was sent: its due time at that time, in milliseconds since 1970, and the
 * start that the message told, if it is known. The status alone is not enough. If a reminder was moved while its message
 * was being sent, it is PENDING for the new time, and only its history shows that the message was sent.
 */
export function findSentMessages({ status, history, dueAt }: SentReminder): { dueAt: number; startsAt?: string }[] {
  if (!history.some(({ what }) => what === 'SENT'))
    return status === 'SENT' ? [{ dueAt: dueAt.epochMilliseconds }] : [];
  const firstMove = history.find(({ what }) => what === 'MOVED');
  let due = firstMove === undefined ? dueAt.epochMilliseconds : toMilliseconds(firstMove, 'from');
  let dueWhenQueued = due;
  const sent: ReturnType<typeof findSentMessages> = [];
  for (const entry of history) {
    if (entry.what === 'MOVED') due = toMilliseconds(entry, 'to');
    if (entry.what === 'QUEUED') dueWhenQueued = due;
    const { startsAt } = entry;
    if (entry.what === 'SENT') sent.push({ dueAt: dueWhenQueued, ...(startsAt !== undefined && { startsAt }) });
  }
  return sent;
}

function toMilliseconds(entry: HistoryEntry, detail: 'from' | 'to'): number {
  return Temporal.Instant.from(String(entry[detail])).epochMilliseconds;
}
