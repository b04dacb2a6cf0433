import type { Recipient } from '../reminder.entity.js';

/** What a channel gets: no personal data, only whom to look up, of what, and a stable id. */
export type ReminderMessage = {
  /** Stable over every attempt, so that a receiver can drop a repeat. */
  messageId: string;
  recipient: Recipient;
  clinicId: number;
  sessionId: number;
  dueAt: Temporal.Instant;
};

/**
 * The port through which reminders leave the service. A channel that resolves has taken the message;
 * one that throws has not, and the queue tries again later.
 */
export abstract class ReminderChannel {
  abstract readonly name: string;
  abstract deliver(message: ReminderMessage): Promise<void>;
}
