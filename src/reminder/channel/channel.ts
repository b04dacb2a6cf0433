import type { Recipient, ReminderKind } from '../domain/reminder-kinds.js';
import type { MessageText } from '../text/message-text.js';

/** A reminder in a message, with the times of its Session. */
export type MessageReminder = {
  reminderId: number;
  kind: ReminderKind;
  sessionId: number;
  dueAt: Temporal.Instant;
  startsAt: Temporal.Instant;
  /**
   * The data with which a calendar shows the Session: its end, and its version, which starts at 1 and increases with each
   * change. Null in the notice that the Session was cancelled because its Client was erased.
   */
  event: { endsAt: Temporal.Instant; version: number } | null;
};

/** A message to one recipient, with all reminders that are due together. */
export type ReminderMessage = {
  /** The same in every attempt, so receivers can drop duplicates. */
  messageId: string;
  clinicId: number;
  recipient: Recipient & { email: string | null; isEmailUnreadable: boolean; timeZone: string };
  items: readonly MessageReminder[];
  /** Whether the message tells the recipient that it is late. */
  late: boolean;
  /** The text in the recipient's language. Contains titles of Sessions and Books only if the Clinic allows this. */
  text: MessageText;
  /**
   * The link that opts the recipient out of these kinds of reminders. It works without authentication (RFC 8058). Null if
   * all items are notices, because preferences do not apply to them.
   */
  optOutUrl: string | null;
};

/** The text of a message as a channel sends it. Contains no address and no name of the recipient. */
export type ComposedMessage = { subject: string | null; body: string };

/** `providerId`: the ID that the mail server or another service has assigned to the message. */
export type DeliveryReceipt = { providerId?: string };

/** The channel will never be able to deliver the message to this recipient, so the next channel is tried. */
export class UndeliverableError extends Error {
  override readonly name = 'UndeliverableError';
}

/** The recipient's address cannot be decrypted at the moment. The message is retried, because its key may be restored. */
export class UnreadableAddressError extends Error {
  override readonly name = 'UnreadableAddressError';
}

/**
 * The channel currently accepts no messages. The message is retried later, and this does not count as a failed attempt.
 */
export class RetryLaterError extends Error {
  override readonly name = 'RetryLaterError';
  constructor(readonly retryAfterSeconds: number) {
    super(`Retry after ${retryAfterSeconds} s`);
  }
}

/**
 * Sends messages to recipients, for example by e-mail. `deliver` resolves when the message has been accepted. After an
 * `UndeliverableError`, the channel is not tried again. After a `RetryLaterError`, it is tried again after the given
 * time; after any other error, with growing delays until the reminder is too late.
 */
export abstract class ReminderChannel {
  /** The channel's name in reminder preferences, for example EMAIL. */
  abstract readonly name: string;
  /** Whether the environment variables of the channel are set. */
  abstract readonly isConfigured: boolean;
  /**
   * The maximum number of concurrent deliveries. All other messages wait in the worker and are checked again before
   * they are sent. If the process crashes, at most this many messages are sent twice.
   */
  readonly concurrency: number = 25;
  abstract deliver(message: ReminderMessage): Promise<DeliveryReceipt>;
  /** Returns the text that `deliver` sends; undefined if the channel cannot reach the recipient. */
  abstract compose(message: ReminderMessage): ComposedMessage | undefined;
}
