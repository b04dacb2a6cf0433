import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../shared/config/env.js';
import { forkForActor, formatInstant, UNTRACKED } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { ReminderMessage } from '../channel/channel.js';
import { Reminder } from '../domain/reminder.entity.js';
import { SessionDataLookup } from '../planning/session-data-lookup.js';
import { decideBatch, toFailureOutcome, type BatchDecisions } from './batch-decision.js';
import { isDataError } from '../outcome/database-retry.js';
import { restrictToMessages, type DeliveryOutcome, type SentOutcome } from '../outcome/delivery-outcome.js';
import { MessageWriter } from './message-writer.js';
import { OutcomeWriter } from '../outcome/outcome-writer.js';
import { RecipientProfiles, type RecipientProfile } from './recipient-profiles.js';

/** A message that is ready to be sent. */
export type PreparedMessage = {
  reminders: Reminder[];
  message: ReminderMessage;
  recipient: RecipientProfile;
  /** When each reminder should have been sent, by reminder ID. */
  expectedAt: ReadonlyMap<number, Temporal.Instant>;
  /** When the message was prepared, in milliseconds of `performance.now()`. */
  preparedAtMs: number;
};

/**
 * Creates messages from queued reminders right before they are sent, so the latest preferences and times apply.
 * Reminders that are no longer to be sent get their outcomes here.
 */
@Injectable()
export class MessagePreparation {
  constructor(
    private readonly em: EntityManager,
    private readonly recipientProfiles: RecipientProfiles,
    private readonly sessions: SessionDataLookup,
    private readonly messageWriter: MessageWriter,
    private readonly outcomeWriter: OutcomeWriter,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /**
   * Prepares messages by their IDs. Messages without reminders to send are left out of the result.
   *
   * @param clinicId the Clinic of all these messages on a distributed database; undefined otherwise
   */
  async prepare(messageIds: readonly string[], clinicId: number | undefined): Promise<Map<string, PreparedMessage>> {
    try {
      return await this.prepareBatch(messageIds, clinicId);
    } catch (error) {
      if (!isDataError(error)) throw error;
      // The data of a single message can make the statements of the whole batch fail.
      const prepared = await Promise.all(messageIds.map((id) => this.prepareSingle(id, clinicId)));
      return new Map(prepared.flatMap((messages) => [...messages]));
    }
  }

  private async prepareSingle(messageId: string, clinicId: number | undefined): Promise<Map<string, PreparedMessage>> {
    try {
      return await this.prepareBatch([messageId], clinicId);
    } catch (error) {
      if (!isDataError(error)) throw error;
      await this.recordFailure(messageId, clinicId, error);
      return new Map();
    }
  }

  private recordFailure(messageId: string, clinicId: number | undefined, error: unknown): Promise<unknown> {
    return forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(async (em) => {
      const now = this.clock.now();
      const reminders = await em.find(
        Reminder,
        { messageId, status: 'QUEUED' },
        { fields: ['id', 'messageId', 'history', 'recipientKind', 'dueAt', 'notAfter', 'redrivenAt'] },
      );
      const outcomes = reminders.map((reminder) => this.toFailure(reminder, now, error));
      await this.outcomeWriter.write('QUEUED', restrictToMessages(outcomes, reminders), now);
    });
  }

  private prepareBatch(
    messageIds: readonly string[],
    clinicId: number | undefined,
  ): Promise<Map<string, PreparedMessage>> {
    return forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(async (em) => {
      const now = this.clock.now();
      const where = { messageId: { $in: [...messageIds] }, status: 'QUEUED' } as const;
      // The reminders are untracked, because the outcome writer stores the changes.
      const options = { orderBy: { dueAt: 'asc', id: 'asc' }, ...UNTRACKED } as const;
      const reminders = await em.find(Reminder, where, options);
      const recipients = await this.recipientProfiles.find(
        reminders.map(({ recipientKind: kind, recipientId: id }) => ({ kind, id })),
      );
      const homework = reminders.filter(({ kind }) => kind === 'HOMEWORK');
      const dueDays = await this.sessions.findHomeworkDueDays(homework.map(({ subjectSessionId }) => subjectSessionId));
      const decision = decideBatch(reminders, recipients, dueDays, this.environment.reminderMaxLateness, now);
      const prepared = await this.writeMessages(decision, recipients, now);
      await this.outcomeWriter.write('QUEUED', restrictToMessages(decision.outcomes, reminders), now);
      return prepared;
    });
  }

  private async writeMessages(
    { toSend, lateMessageIds, expectedAt, outcomes }: BatchDecisions,
    recipients: ReadonlyMap<string, RecipientProfile>,
    now: Temporal.Instant,
  ): Promise<Map<string, PreparedMessage>> {
    const byMessageId = Map.groupBy(toSend, (reminder) => reminder.messageId!);
    const preparedAtMs = performance.now();
    const { messages, failures } = await this.messageWriter.writeMessages(byMessageId, lateMessageIds, recipients, now);
    for (const [messageId, error] of failures)
      outcomes.push(...byMessageId.get(messageId)!.map((reminder) => this.toFailure(reminder, now, error)));
    const prepared = messages.map((message): [string, PreparedMessage] => {
      const reminders = byMessageId.get(message.messageId)!;
      const recipient = recipients.get(reminders[0]!.recipientKey)!;
      return [message.messageId, { message, reminders, recipient, expectedAt, preparedAtMs }];
    });
    return new Map(prepared);
  }

  private toFailure(
    reminder: Parameters<typeof toFailureOutcome>[0],
    now: Temporal.Instant,
    error: unknown,
  ): DeliveryOutcome {
    return toFailureOutcome(reminder, this.environment.reminderMaxLateness, now, error);
  }
}

/** The outcomes of a message that a channel has accepted, one per reminder. */
export function toSentOutcomes(
  { message, reminders, recipient, expectedAt }: PreparedMessage,
  channel: string,
  providerId: string | undefined,
  sentAt: Temporal.Instant,
): SentOutcome[] {
  const { messageId, late } = message;
  const historyEntry: SentOutcome['historyEntry'] = { what: 'SENT', channel, late };
  if (recipient.fallback !== undefined) historyEntry.fallback = recipient.fallback;
  // PostgreSQL can store neither NUL nor lone surrogates, but an external service may return both.
  if (providerId !== undefined) historyEntry.providerId = providerId.toWellFormed().replaceAll('\0', '');
  const starts = new Map(message.items.map(({ reminderId, startsAt }) => [reminderId, startsAt]));
  return reminders.map((reminder) => {
    const { id } = reminder;
    const startsAt = reminder.kind === 'SESSION' ? starts.get(id) : undefined;
    // The Session can move while the message is being sent, so its present start may not be that of the message.
    const told = startsAt === undefined ? {} : { startsAt: formatInstant(startsAt) };
    return { id, messageId, sentAt, expectedAt: expectedAt.get(id)!, historyEntry: { ...historyEntry, ...told } };
  });
}
