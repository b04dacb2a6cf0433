import { findErrorCode, getErrorClassName } from '../../shared/errors/index.js';
import { RetryLaterError, UndeliverableError } from '../channel/channel.js';
import { computeDeliveryDeadline, computeRetryTime, getNextAttemptNumber } from '../domain/attempts.js';
import {
  toDeadLetterOutcome,
  toDeferredOutcome,
  toFailedOutcome,
  toReleasedOutcome,
  type DeliveryOutcome,
} from './delivery-outcome.js';
import type { Reminder } from '../domain/reminder.entity.js';

/** The instance stops before it has tried to send the message, which is left to other instances. */
export class InstanceStoppedError extends Error {
  override readonly name = 'InstanceStoppedError';
}

type FailedMessage = { reminders: readonly Reminder[] };

/** The log entry of a failed attempt; undefined if the error does not count as one. */
export function toFailedAttemptLog(failed: FailedMessage & { message: { messageId: string } }, error: unknown) {
  if (error instanceof RetryLaterError || error instanceof InstanceStoppedError) return undefined;
  const { messageId } = failed.message;
  const attempt = getAttemptNumber(failed);
  return {
    event: 'reminder.failed',
    messageId,
    attempt,
    errorClass: getErrorClassName(error),
    code: findErrorCode(error),
  };
}

/** The number of the failed attempt: the highest attempt number among the reminders of the message. */
function getAttemptNumber({ reminders }: FailedMessage): number {
  return Math.max(...reminders.map((reminder) => getNextAttemptNumber(reminder)));
}

/**
 * Returns the outcomes of a message that was not delivered. All its reminders get the same retry time, so they are sent
 * together in one message again.
 */
export function toFailedMessageOutcomes(
  failed: FailedMessage,
  error: unknown,
  now: Temporal.Instant,
  maxLateness: Temporal.Duration,
  channel?: string,
): DeliveryOutcome[] {
  const toOutcome = chooseOutcome(failed, error, now, maxLateness, channel);
  return failed.reminders.map(({ id, messageId }) => ({ ...toOutcome(id), triedMessageId: messageId! }));
}

function chooseOutcome(
  failed: FailedMessage,
  error: unknown,
  now: Temporal.Instant,
  maxLateness: Temporal.Duration,
  channel: string | undefined,
): (id: number) => DeliveryOutcome {
  if (error instanceof RetryLaterError) {
    const until = now.add({ seconds: error.retryAfterSeconds });
    return (id) => ({ ...toDeferredOutcome(id, until, 'CHANNEL_BUSY'), ...(channel && { busyChannel: channel }) });
  }
  if (error instanceof InstanceStoppedError) return toReleasedOutcome;
  if (error instanceof UndeliverableError) return (id) => toDeadLetterOutcome(id, 'UNDELIVERABLE');
  const attempt = getAttemptNumber(failed);
  const deadlines = failed.reminders.map((reminder) => computeDeliveryDeadline(reminder, maxLateness));
  const [earliestDeadline] = deadlines.toSorted((a, b) => Temporal.Instant.compare(a, b));
  const until = computeRetryTime(attempt, now, earliestDeadline);
  const failedAttempt = channel === undefined ? { attempt } : { attempt, channel };
  return (id) => toFailedOutcome(id, until, failedAttempt, error);
}
