import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { CrossClinicReader } from '../../directory/index.js';
import { Environment } from '../../shared/config/env.js';
import { UNTRACKED } from '../../shared/persistence/index.js';
import { isBefore } from '../../shared/time/index.js';
import type { MessageReminder, ReminderMessage } from '../channel/channel.js';
import { toOptOutSegment } from '../domain/preference/opt-out-link.entity.js';
import { Reminder } from '../domain/reminder.entity.js';
import type { SessionMessageDetails } from '../domain/session-data.js';
import { findStartInMessage, findToldStarts, isLastToldStartFormer } from '../domain/told-starts.js';
import { SessionDataLookup } from '../planning/session-data-lookup.js';
import { renderMessageText, type MessageTextItem } from '../text/message-text.js';
import { OptOutLinkIssuer } from './opt-out-link-issuer.js';
import type { RecipientProfile } from './recipient-profiles.js';

type UnwrittenMessage = { messageId: string; reminders: readonly Reminder[]; isLate: boolean };
type MessageParts = UnwrittenMessage & { items: MessageReminder[]; texts: MessageTextItem[] };

/** The data about Sessions and Books that the text of messages needs, keyed by ID. */
type MessageDetails = {
  sessions: ReadonlyMap<number, SessionMessageDetails>;
  bookTitles: ReadonlyMap<number, string>;
  /** The reminders about those Sessions that were changed after their creation. */
  ofChangedSessions: ReadonlyMap<number, readonly Readonly<Reminder>[]>;
};

/**
 * Replaces the secret of the opt-out link in previews. With the real secret, a reader of the preview could opt the
 * recipient out.
 */
const HIDDEN_SECRET = 'HIDDEN';

/** Writes messages in the recipient's language and time zone. */
@Injectable()
export class MessageWriter {
  constructor(
    private readonly em: EntityManager,
    private readonly crossClinic: CrossClinicReader,
    private readonly sessions: SessionDataLookup,
    private readonly optOutLinks: OptOutLinkIssuer,
    private readonly environment: Environment,
  ) {}

  /**
   * Writes one message for each entry of `remindersByMessageId`. Runs in the caller's transaction.
   *
   * @param recipients recipient profiles by recipient key
   * @returns the messages, and the errors of messages that could not be written, by message ID
   */
  async writeMessages(
    remindersByMessageId: ReadonlyMap<string, Reminder[]>,
    lateMessageIds: ReadonlySet<string>,
    recipients: ReadonlyMap<string, RecipientProfile>,
    now: Temporal.Instant,
  ): Promise<{ messages: ReminderMessage[]; failures: Map<string, unknown> }> {
    const details = await this.findDetails([...remindersByMessageId.values()].flat());
    const firstReminders = [...remindersByMessageId.values()].map(([first]) => first!);
    const secrets = await this.optOutLinks.issue(firstReminders, now);
    const messages: ReminderMessage[] = [];
    const failures = new Map<string, unknown>();
    for (const [messageId, reminders] of remindersByMessageId) {
      const { recipientKey } = reminders[0]!;
      const isLate = lateMessageIds.has(messageId);
      try {
        const recipient = recipients.get(recipientKey)!;
        messages.push(
          this.write({ messageId, reminders, isLate }, recipient, secrets.get(recipientKey)!, details, now),
        );
      } catch (error) {
        failures.set(messageId, error);
      }
    }
    return { messages, failures };
  }

  /** Writes a message for a preview. Stores nothing, and the opt-out link in the message does not work. */
  async previewMessage(
    message: UnwrittenMessage,
    recipient: RecipientProfile,
    now: Temporal.Instant,
  ): Promise<ReminderMessage> {
    return this.write(message, recipient, HIDDEN_SECRET, await this.findDetails(message.reminders), now);
  }

  private async findDetails(reminders: readonly Reminder[]): Promise<MessageDetails> {
    const sessions = await this.sessions.findMessageDetails(reminders.map(({ subjectSessionId }) => subjectSessionId));
    const bookTitles = await this.crossClinic.findBookTitles(
      reminders.flatMap(({ rule }) => ('bookId' in rule ? [rule.bookId] : [])),
    );
    return { sessions, bookTitles, ofChangedSessions: await this.findOfChangedSessions(reminders, sessions) };
  }

  private async findOfChangedSessions(
    reminders: readonly Reminder[],
    sessions: MessageDetails['sessions'],
  ): Promise<MessageDetails['ofChangedSessions']> {
    const changed = reminders.filter(
      ({ kind, subjectSessionId }) => kind === 'SESSION' && (sessions.get(subjectSessionId)?.version ?? 1) > 1,
    );
    if (changed.length === 0) return new Map();
    const clinicId = { $in: [...new Set(changed.map((reminder) => reminder.clinicId))] };
    const sessionId = { $in: [...new Set(changed.map(({ subjectSessionId }) => subjectSessionId))] };
    const found = await this.em.find(Reminder, { clinicId, sessionId, homeworkId: null }, UNTRACKED);
    return Map.groupBy(found, ({ subjectSessionId }) => subjectSessionId);
  }

  private write(
    { messageId, reminders: unsorted, isLate }: UnwrittenMessage,
    recipient: RecipientProfile,
    optOutSecret: string,
    details: MessageDetails,
    now: Temporal.Instant,
  ): ReminderMessage {
    const { sessions } = details;
    const reminders = sortBySessionStart(unsorted, sessions);
    const items = reminders.flatMap((reminder) =>
      toMessageReminders(reminder, sessions.get(reminder.subjectSessionId)),
    );
    const texts = reminders.map((reminder) => toTextItem(reminder, details, recipient.preference.revealing, now));
    return this.toMessage({ messageId, reminders, items, texts, isLate }, recipient, optOutSecret);
  }

  private toMessage(
    { messageId, reminders, items, texts, isLate: late }: MessageParts,
    recipient: RecipientProfile,
    optOutSecret: string,
  ): ReminderMessage {
    const first = reminders[0]!;
    const { recipientKind: kind, recipientId: id, clinicId } = first;
    const { email, isEmailUnreadable, locale, timeZone } = recipient.contact;
    const kinds = reminders.flatMap((reminder) => (reminder.isNotice ? [] : [reminder.kind]));
    return {
      ...{ messageId, clinicId, items, late },
      recipient: { kind, id, email, isEmailUnreadable, timeZone },
      text: renderMessageText(texts, { locale, timeZone, late }),
      optOutUrl:
        kinds.length === 0
          ? null
          : `${this.environment.publicUrl}/reminder/opt-out/${toOptOutSegment(kinds)}/${optOutSecret}`,
    };
  }
}

/** Sorts by the start of the Session, because readers expect appointments in this order rather than by due time. */
function sortBySessionStart(
  reminders: readonly Reminder[],
  sessions: ReadonlyMap<number, SessionMessageDetails>,
): Reminder[] {
  const startOf = (reminder: Reminder) =>
    findStart(reminder, sessions.get(reminder.subjectSessionId)).epochMilliseconds;
  return reminders.toSorted((a, b) => startOf(a) - startOf(b) || a.id - b.id);
}

/** The start of the Session that the message tells, or the due time if the Session does not exist. */
function findStart(reminder: Reminder, session: SessionMessageDetails | undefined): Temporal.Instant {
  const { rule, dueAt, status } = reminder;
  if ('startsAt' in rule) return Temporal.Instant.from(rule.startsAt);
  // A Session can move after its reminder was sent. Previews of that message have the start that the message had.
  const told = status === 'SENT' ? findStartInMessage(reminder) : null;
  return told ?? session?.startsAt ?? dueAt;
}

function toMessageReminders(reminder: Reminder, session: SessionMessageDetails | undefined): MessageReminder[] {
  const { id: reminderId, kind, subjectSessionId: sessionId, isNotice, dueAt } = reminder;
  const startsAt = findStart(reminder, session);
  if (isNotice) return [{ reminderId, kind, sessionId, dueAt, startsAt, event: null }];
  if (session === undefined) return [];
  const { endsAt, version } = session;
  return [{ reminderId, kind, sessionId, dueAt, startsAt, event: { endsAt, version } }];
}

const TEXTS_BY_RULE: Readonly<Record<string, MessageTextItem['kind']>> = {
  REMIND_DAYS: 'SESSION',
  AROUND_START: 'SESSION',
  HOMEWORK: 'HOMEWORK',
  SESSION_ERASED: 'ERASED',
} satisfies Record<Reminder['rule']['kind'], MessageTextItem['kind']>;

function toTextItem(
  reminder: Reminder,
  { sessions, bookTitles, ofChangedSessions }: MessageDetails,
  isRevealing: boolean,
  now: Temporal.Instant,
): MessageTextItem {
  const { rule, subjectSessionId: sessionId } = reminder;
  const session = sessions.get(sessionId);
  const startsAt = findStart(reminder, session);
  // A rule that only a later release knows has the text of its kind.
  const kind = TEXTS_BY_RULE[rule.kind] ?? reminder.kind;
  if (kind === 'ERASED') return { kind, startsAt, sessionId };
  if (kind === 'HOMEWORK') {
    return isRevealing && 'bookId' in rule ? { kind, bookTitle: bookTitles.get(rule.bookId) } : { kind };
  }
  const isOver = isBefore(startsAt, now);
  const toRecipient = ofChangedSessions.get(sessionId)?.filter((other) => other.recipientKey === reminder.recipientKey);
  const told = findToldStarts(toRecipient ?? []).filter(({ at }) => isBefore(at, now));
  const isMoved = !isOver && isLastToldStartFormer(told, startsAt);
  return { ...{ kind, sessionId, startsAt, isOver, isMoved }, ...(isRevealing && { sessionTitle: session?.title }) };
}
