import type { Recipient, ReminderKind } from '../domain/reminder-kinds.js';
import type { MessageText } from '../text/message-text.js';

/** One reminder in a message. */
export type MessageItem = {
  reminderId: number;
  kind: ReminderKind;
  sessionId: number;
  dueAt: Temporal.Instant;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  /** The version of the Session, from 1. It grows with each change. */
  version: number;
};

/** A message to one recipient, with all reminders that are due together. */
export type ReminderMessage = {
  /** The same in each attempt, so that a receiver can drop repeats. */
  messageId: string;
  clinicId: number;
  recipient: Recipient & { email: string | null; timeZone: string };
  items: readonly MessageItem[];
  /** Whether the message says that it is late. */
  late: boolean;
  /** In the recipient's language. Contains titles of Sessions and Books only if the Clinic allows it. */
  text: MessageText;
  /** The link that ends reminders of this kind. It works without authentication (RFC 8058). */
  optOutUrl: string;
};

/** `providerId`: the id that the mail server or another service has given to the message. */
export type DeliveryReceipt = { providerId?: string };

/** The channel cannot reach this recipient, now or later. The next channel is tried. */
export class UndeliverableError extends Error {
  override readonly name = 'UndeliverableError';
}

/** The channel accepts no message at the moment. The message is tried again later, which is not a failed attempt. */
export class RetryLaterError extends Error {
  override readonly name = 'RetryLaterError';
  constructor(readonly retryAfterSeconds: number) {
    super(`Retry after ${retryAfterSeconds} s`);
  }
}

/**
 * Sends messages to recipients, for example by e-mail. `deliver` resolves when the message is accepted. An
 * `UndeliverableError` is final, a `RetryLaterError` is tried again after the given time, and any other error with
 * growing delays until the reminder is too late.
 */
export abstract class ReminderChannel {
  /** The name in preferences, for example EMAIL. */
  abstract readonly name: string;
  /** Whether the environment variables of the channel are set. */
  abstract readonly isConfigured: boolean;
  /**
   * The number of messages that are delivered at the same time. All others wait in the worker and are checked again
   * before they are sent. If the process ends, at most this many messages are sent twice.
   */
  readonly concurrency: number = 25;
  abstract deliver(message: ReminderMessage): Promise<DeliveryReceipt>;
}
