import { Injectable } from '@nestjs/common';
import { Directory } from '../../directory/index.js';
import type { ClinicPrincipal } from '../../shared/access/index.js';
import { Environment } from '../../shared/config/env.js';
import { ConflictError, NotFoundError } from '../../shared/errors/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock, isBefore } from '../../shared/time/index.js';
import { ChannelRegistry } from '../channel/channel-registry.js';
import type { ReminderMessage } from '../channel/channel.js';
import { decideBatch } from '../delivery/batch-decision.js';
import { MessageWriter } from '../delivery/message-writer.js';
import { RecipientProfiles, type RecipientProfile } from '../delivery/recipient-profiles.js';
import { decideDelivery } from '../domain/delivery-decision.js';
import { isUpcoming } from '../domain/reminder-status.js';
import { Reminder } from '../domain/reminder.entity.js';
import { MAX_QUIET_PERIOD } from '../domain/timing/quiet-hours.js';
import { SessionDataLookup } from '../planning/session-data-lookup.js';
import type { ReminderMessageModel } from './reminder-message.dto.js';

/**
 * Replaces the message ID in a preview, because a message gets its ID only when it is queued (RFC 9562, section 5.9).
 */
const NIL_ID = '00000000-0000-0000-0000-000000000000';
/** Order and maximum number of the reminders in a message. A dispatch reads at most 2,000 reminders. */
const IN_A_MESSAGE = { orderBy: { dueAt: 'asc', id: 'asc' }, limit: 2_000 } as const;

type MessageContent = { reminders: readonly Reminder[]; isLate: boolean };

/** Shows a Clinic the message of a reminder as it would be delivered. Nothing is stored. */
@Injectable()
export class MessagePreview {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly recipientProfiles: RecipientProfiles,
    private readonly sessions: SessionDataLookup,
    private readonly messageWriter: MessageWriter,
    private readonly channels: ChannelRegistry,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the message that contains the reminder, as each channel would send it or has sent it.
   *
   * @throws NotFoundError if the Clinic has no such reminder
   * @throws ConflictError if the recipient is deactivated
   */
  get(caller: ClinicPrincipal, id: number): Promise<ReminderMessageModel> {
    return this.em.transactional(async (em) => {
      const { id: clinicId } = await this.directory.requireClinic(caller);
      const reminder = await em.findOne(Reminder, { clinicId, id });
      if (reminder === null) throw new NotFoundError();
      const { recipientKind: kind, recipientId, recipientKey, status } = reminder;
      const recipient = (await this.recipientProfiles.find([{ kind, id: recipientId }])).get(recipientKey);
      if (recipient === undefined) throw new ConflictError('The recipient is deactivated, so there is no message.');
      const sent = findSentEntry(reminder);
      const at = sent?.at ?? later(reminder.sendAt, this.clock.now());
      const { reminders, isLate } = await this.findContent(reminder, recipient, at, sent);
      // A redrive sends a new message.
      const messageId = sent !== undefined || isUpcoming(status) ? reminder.messageId : null;
      const unwritten = { messageId: messageId ?? NIL_ID, reminders, isLate };
      const message = await this.messageWriter.previewMessage(unwritten, recipient, at);
      return this.toModel(message, sent === undefined ? recipient.preference.channels : [sent.channel]);
    });
  }

  /** Finds the reminders in the same message, and whether the message says that it is late. */
  private async findContent(
    reminder: Reminder,
    recipient: RecipientProfile,
    at: Temporal.Instant,
    sent: SentEntry | undefined,
  ): Promise<MessageContent> {
    if (sent !== undefined) return { reminders: await this.findSent(reminder, at), isLate: sent.isLate };
    const maxLateness = this.environment.reminderMaxLateness;
    if (!isUpcoming(reminder.status)) {
      // A reminder with any other status can only be sent by a redrive.
      const { kind, isNotice, dueAt, sendAt, notAfter } = reminder;
      const redriven = { kind, isNotice, dueAt, sendAt, notAfter, redrivenAt: at };
      const decision = decideDelivery(redriven, recipient.preference, maxLateness, at);
      return { reminders: [reminder], isLate: decision.action === 'SEND' && decision.isLate };
    }
    const waiting = await this.findWaiting(reminder, at);
    const homework = waiting.filter(({ kind }) => kind === 'HOMEWORK');
    const dueDays = await this.sessions.findHomeworkDueDays(homework.map(({ subjectSessionId }) => subjectSessionId));
    const recipients = new Map([[reminder.recipientKey, recipient]]);
    const { toSend, lateMessageIds } = decideBatch(waiting, recipients, dueDays, maxLateness, at);
    const sentIds = new Set([reminder.id, ...toSend.map(({ id }) => id)]);
    return { reminders: waiting.filter(({ id }) => sentIds.has(id)), isLate: lateMessageIds.size > 0 };
  }

  /**
   * Finds the reminders that will be sent together: those with the same message ID or, without one, those that will be
   * due for the recipient at the same time.
   */
  private findWaiting(reminder: Reminder, at: Temporal.Instant): Promise<Reminder[]> {
    const { clinicId, recipientKind, recipientId, status, messageId, sendAt } = reminder;
    const isDue = isBefore(sendAt, at);
    const together = messageId === null ? { sendAt: isDue ? { $lte: at } : sendAt } : {};
    const where = { clinicId, recipientKind, recipientId, status, messageId, ...together };
    return this.em.find(Reminder, where, IN_A_MESSAGE);
  }

  /**
   * Finds the sent reminders of the same message. No index contains the message ID of sent reminders, but with a range
   * of due times, PostgreSQL can use an index.
   */
  private findSent(reminder: Reminder, at: Temporal.Instant): Promise<Reminder[]> {
    const { clinicId, recipientKind, recipientId, messageId, dueAt } = reminder;
    // Quiet hours can defer a reminder when it is due, and again just before it would be too late.
    const earliest = at
      .subtract(this.environment.reminderMaxLateness)
      .subtract(MAX_QUIET_PERIOD)
      .subtract(MAX_QUIET_PERIOD);
    const from = isBefore(dueAt, earliest) ? dueAt : earliest;
    const dueBetween = { $gte: from, $lte: later(dueAt, at.add(MAX_QUIET_PERIOD)) };
    const where = { clinicId, recipientKind, recipientId, status: 'SENT' as const, messageId, dueAt: dueBetween };
    return this.em.find(Reminder, where, IN_A_MESSAGE);
  }

  private toModel(message: ReminderMessage, channelNames: readonly string[]): ReminderMessageModel {
    const { recipient, items, late } = message;
    const channels = channelNames.flatMap((channel) => {
      const composed = this.channels.get(channel)?.compose(message);
      return composed === undefined ? [] : [{ channel, ...composed }];
    });
    const reminderIds = items.map(({ reminderId }) => reminderId);
    return { recipientKind: recipient.kind, recipientId: recipient.id, reminderIds, late, channels };
  }
}

type SentEntry = { at: Temporal.Instant; channel: string; isLate: boolean };

/** Returns when and through which channel the reminder was sent, or undefined if it has not been sent. */
function findSentEntry({ status, history }: Reminder): SentEntry | undefined {
  const entry = status === 'SENT' ? history.findLast(({ what }) => what === 'SENT') : undefined;
  if (entry === undefined) return undefined;
  return { at: Temporal.Instant.from(entry.at), channel: entry.channel!, isLate: entry.late === true };
}

function later(a: Temporal.Instant, b: Temporal.Instant): Temporal.Instant {
  return isBefore(a, b) ? b : a;
}
