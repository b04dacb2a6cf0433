import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../shared/config/env.js';
import { forkForActor, UNTRACKED } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { ReminderMessage } from '../channel/channel.js';
import { liesInData } from './database-retry.js';
import { MessageWriter } from './message-writer.js';
import { Recipients, type Addressee } from './recipient-profiles.js';
import { DeliveryOutcomes, type DeliveryOutcome } from './outcome-writer.js';
import { ReminderSubjects } from '../planning/session-lookup.js';
import { Reminder } from '../domain/reminder.entity.js';
import { decideAll, keyOf, undecided, type Decisions } from './batch-decision.js';

/** A message that is to go out now. */
export type Prepared = {
  reminders: Reminder[];
  message: ReminderMessage;
  addressee: Addressee;
  /** When each of the reminders, by its id, was to be sent. */
  expectedAt: ReadonlyMap<number, Temporal.Instant>;
  /** When it was prepared, of `performance.now()`. */
  at: number;
};

/** Makes messages of reminders that were handed over, as late as can be: wishes and times may have changed. */
@Injectable()
export class ReminderPreparation {
  constructor(
    private readonly em: EntityManager,
    private readonly recipients: Recipients,
    private readonly subjects: ReminderSubjects,
    private readonly writer: MessageWriter,
    private readonly ledger: DeliveryOutcomes,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /** By their ids, without those of which all reminders have been settled or withdrawn. */
  async prepare(messageIds: readonly string[]): Promise<Map<string, Prepared>> {
    try {
      return await this.prepareTogether(messageIds);
    } catch (error) {
      if (!liesInData(error)) throw error;
      // One of them spoils the look-up of all.
      const prepared = await Promise.all(messageIds.map((id) => this.prepareAlone(id)));
      return new Map(prepared.flatMap((each) => [...each]));
    }
  }

  private async prepareAlone(messageId: string): Promise<Map<string, Prepared>> {
    try {
      return await this.prepareTogether([messageId]);
    } catch (error) {
      if (!liesInData(error)) throw error;
      await this.writeFailure(messageId, error);
      return new Map();
    }
  }

  private writeFailure(messageId: string, error: unknown): Promise<unknown> {
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      const now = this.clock.now();
      const reminders = await em.find(
        Reminder,
        { messageId, status: 'QUEUED' },
        { fields: ['id', 'story', 'dueAt', 'notAfter', 'redrivenAt'] },
      );
      const outcomes = reminders.map((reminder) => this.failed(reminder, now, error));
      await this.ledger.write('QUEUED', outcomes, now);
    });
  }

  private prepareTogether(messageIds: readonly string[]): Promise<Map<string, Prepared>> {
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      const now = this.clock.now();
      const where = { messageId: { $in: [...messageIds] }, status: 'QUEUED' } as const;
      // The ledger writes what becomes of them.
      const asTheyAre = { orderBy: { dueAt: 'asc', id: 'asc' }, ...UNTRACKED } as const;
      const reminders = await em.find(Reminder, where, asTheyAre);
      const addressees = await this.recipients.find(
        reminders.map(({ recipientKind: kind, recipientId: id }) => ({ kind, id })),
      );
      const homework = reminders.filter(({ kind }) => kind === 'HOMEWORK');
      const dueDays = await this.subjects.dueDaysOf(homework.map(({ sessionId }) => sessionId));
      const decided = decideAll(reminders, addressees, dueDays, this.environment.reminderMaxLateness, now);
      const prepared = await this.compose(decided, addressees, now);
      await this.ledger.write('QUEUED', decided.outcomes, now);
      return prepared;
    });
  }

  private async compose(
    { toSend, late, expectedAt, outcomes }: Decisions,
    addressees: ReadonlyMap<string, Addressee>,
    now: Temporal.Instant,
  ): Promise<Map<string, Prepared>> {
    const byMessage = Map.groupBy(toSend, (reminder) => reminder.messageId!);
    const at = performance.now();
    const { messages, failures } = await this.writer.write(byMessage, late, addressees, now);
    for (const [messageId, error] of failures)
      outcomes.push(...byMessage.get(messageId)!.map((reminder) => this.failed(reminder, now, error)));
    const prepared = messages.map((message): [string, Prepared] => {
      const reminders = byMessage.get(message.messageId)!;
      return [
        message.messageId,
        { message, reminders, addressee: addressees.get(keyOf(reminders[0]!))!, expectedAt, at },
      ];
    });
    return new Map(prepared);
  }

  private failed(reminder: Parameters<typeof undecided>[0], now: Temporal.Instant, error: unknown): DeliveryOutcome {
    return undecided(reminder, this.environment.reminderMaxLateness, now, error);
  }
}
