import type { RecipientKind } from '../domain/reminder-rule.js';
import type { MessageText } from '../text/message-text.js';

/** One thing that a message reminds of. */
export type MessageItem = {
  reminderId: number;
  kind: 'SESSION' | 'HOMEWORK';
  sessionId: number;
  dueAt: Temporal.Instant;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  /** Counts the changes of the Session. */
  version: number;
};

/** All that one recipient is reminded of at one moment. */
export type ReminderMessage = {
  /** Stable over every attempt, so that a receiver can drop a repeat. */
  messageId: string;
  clinicId: number;
  recipient: { kind: RecipientKind; id: number; email: string | null; timeZone: string };
  items: readonly MessageItem[];
  /** true when it goes out later than it should have. */
  late: boolean;
  /** What it says, in the recipient's language; discreet unless the Clinic lets it reveal more. */
  text: MessageText;
  /** Ends reminders of this kind, without signing in (RFC 8058). */
  optOutUrl: string;
};

/** What the other side calls the message, where it says so. */
export type Receipt = { providerId?: string };

/** This recipient cannot be reached by this channel, now or later: the next channel has its turn. */
export class UndeliverableError extends Error {
  override readonly name = 'UndeliverableError';
}

/** Not now: to be tried again after so many seconds, which is no fault of the message. */
export class NotNowError extends Error {
  override readonly name = 'NotNowError';
  constructor(readonly seconds: number) {
    super(`Not before ${seconds} s from now`);
  }
}

/**
 * The port through which reminders leave the service. A channel that resolves has taken the message; one that
 * throws has not: `UndeliverableError` is final, `NotNowError` waits as told, anything else is tried again with growing
 * pauses, until the reminder is too late.
 */
export abstract class ReminderChannel {
  /** As preferences name it. */
  abstract readonly name: string;
  /** Whether its variables are set. */
  abstract readonly isConfigured: boolean;
  /**
   * Messages that it takes at once. The others wait outside, and are looked at again when it is their turn. When the
   * process dies, so many at most go out again.
   */
  readonly concurrency: number = 25;
  abstract deliver(message: ReminderMessage): Promise<Receipt>;
}
