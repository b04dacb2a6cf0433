import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { CrossClinicReader } from '../../directory/index.js';
import { Environment } from '../../shared/config/env.js';
import { UNTRACKED } from '../../shared/persistence/index.js';
import type { MessageItem, ReminderMessage } from '../channel/channel.js';
import { byOwner, ownersOf, ReminderPreference } from '../domain/preference/reminder-preference.entity.js';
import type { Addressee } from './recipient-profiles.js';
import { ReminderSubjects, type SubjectFacts } from '../planning/session-lookup.js';
import type { Recipient } from '../domain/reminder-rule.js';
import type { Reminder } from '../domain/reminder.entity.js';
import { keyOf } from './batch-decision.js';
import { messageText, type TextItem } from '../text/message-text.js';

type About = { messageId: string; own: readonly Reminder[]; items: MessageItem[]; texts: TextItem[]; late: boolean };

/** Writes the message of all that one recipient is reminded of, in their language and zone. */
@Injectable()
export class MessageWriter {
  constructor(
    private readonly em: EntityManager,
    private readonly contacts: CrossClinicReader,
    private readonly subjects: ReminderSubjects,
    private readonly environment: Environment,
  ) {}

  /** Within the caller's transaction. A message that cannot be written is no reason not to write the others. */
  async write(
    byMessage: ReadonlyMap<string, Reminder[]>,
    late: ReadonlySet<string>,
    addressees: ReadonlyMap<string, Addressee>,
    now: Temporal.Instant,
  ): Promise<{ messages: ReminderMessage[]; failures: Map<string, unknown> }> {
    const reminders = [...byMessage.values()].flat();
    const facts = await this.subjects.factsOf(reminders.map(({ sessionId }) => sessionId));
    const books = await this.contacts.findBookTitles(
      reminders.flatMap(({ rule }) => (rule.kind === 'HOMEWORK' ? [rule.bookId] : [])),
    );
    const tokens = await this.optOutTokens(
      [...byMessage.values()].map(([first]) => first!),
      addressees,
      now,
    );
    const messages: ReminderMessage[] = [];
    const failures = new Map<string, unknown>();
    for (const [messageId, given] of byMessage) {
      const key = keyOf(given[0]!);
      const addressee = addressees.get(key)!;
      const token = tokens.get(key)!;
      try {
        const own = inOrderOfSessions(given, facts);
        const items = own.flatMap((reminder) => itemOf(reminder, facts.get(reminder.sessionId)));
        const texts = own.map((reminder) => textItemOf(reminder, facts.get(reminder.sessionId), books, addressee, now));
        messages.push(this.messageOf({ messageId, own, items, texts, late: late.has(messageId) }, addressee, token));
      } catch (error) {
        failures.set(messageId, error);
      }
    }
    return { messages, failures };
  }

  private messageOf({ messageId, own, items, texts, late }: About, addressee: Addressee, token: string) {
    const { recipientKind: kind, recipientId: id, clinicId } = own[0]!;
    const { email, locale, timeZone } = addressee.contact;
    // A message of both kinds ends the reminders of its first.
    const path = own[0]!.kind === 'HOMEWORK' ? 'homework' : 'session';
    return {
      ...{ messageId, clinicId, items, late },
      recipient: { kind, id, email, timeZone },
      text: messageText(texts, { locale, timeZone, late }),
      optOutUrl: `${this.environment.publicUrl}/reminder/opt-out/${path}/${token}`,
    };
  }

  /** By recipient. A recipient's first message makes the token, all those of a batch in two statements. */
  private async optOutTokens(
    reminders: readonly Reminder[],
    addressees: ReadonlyMap<string, Addressee>,
    now: Temporal.Instant,
  ): Promise<Map<string, string>> {
    const tokens = new Map<string, string>();
    const owners: Recipient[] = [];
    const missing = new Map<string, ReminderPreference>();
    for (const reminder of reminders) {
      const key = keyOf(reminder);
      const { own, contact } = addressees.get(key)!;
      if (own !== undefined) tokens.set(key, own.optOutToken);
      else {
        const owner = { kind: reminder.recipientKind, id: reminder.recipientId };
        owners.push(owner);
        missing.set(key, new ReminderPreference(contact.clinicId, owner, now));
      }
    }
    if (missing.size === 0) return tokens;
    // Another instance may make one at the same moment: the first counts.
    await (this.em as SqlEntityManager)
      .createQueryBuilder(ReminderPreference)
      .insert([...missing.values()])
      .onConflict()
      .ignore()
      .execute('run');
    const made = await this.em.find(ReminderPreference, { $or: ownersOf(owners, []) }, UNTRACKED);
    for (const [key, { optOutToken }] of byOwner(made)) tokens.set(key, optOutToken);
    return tokens;
  }
}

/** As a reader expects a list of appointments, whatever their reminders were due by. */
function inOrderOfSessions(reminders: readonly Reminder[], facts: ReadonlyMap<number, SubjectFacts>): Reminder[] {
  const startOf = ({ sessionId, dueAt }: Reminder) => (facts.get(sessionId)?.startsAt ?? dueAt).epochMilliseconds;
  return reminders.toSorted((a, b) => startOf(a) - startOf(b) || a.id - b.id);
}

function itemOf(reminder: Reminder, facts: SubjectFacts | undefined): MessageItem[] {
  if (facts === undefined) return [];
  const { id: reminderId, kind, sessionId, dueAt } = reminder;
  const { startsAt, endsAt, version } = facts;
  return [{ reminderId, kind, sessionId, dueAt, startsAt, endsAt, version }];
}

function textItemOf(
  { kind, rule, dueAt }: Reminder,
  facts: SubjectFacts | undefined,
  books: ReadonlyMap<number, string>,
  { preference }: Addressee,
  now: Temporal.Instant,
): TextItem {
  const startsAt = facts?.startsAt ?? dueAt;
  const item: TextItem = { kind, startsAt, isOver: Temporal.Instant.compare(startsAt, now) < 0 };
  if (!preference.revealing) return item;
  if (rule.kind === 'HOMEWORK') return { ...item, bookTitle: books.get(rule.bookId) };
  return { ...item, sessionTitle: facts?.title };
}
