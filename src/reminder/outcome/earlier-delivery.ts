import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { forkForActor, UNTRACKED } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Reminder } from '../domain/reminder.entity.js';
import { DATABASE_RETRY_DELAY_MS } from './database-retry.js';
import type { SentOutcome } from './delivery-outcome.js';
import { OutcomeWriter } from './outcome-writer.js';

/**
 * How long to wait for an outcome. An instance that retries a failed write makes its next attempt within this time,
 * even on a busy machine.
 */
const OUTCOME_WAIT_MS = 3 * DATABASE_RETRY_DELAY_MS;

/**
 * Waits for the instance that previously had a retried job. That instance may have sent the message and may still be
 * retrying the write of its outcome. While rows cannot be written, its heartbeats fail as well, so the queue gives its
 * jobs to other instances.
 */
@Injectable()
export class EarlierDeliveryWaiter {
  constructor(
    private readonly em: EntityManager,
    private readonly outcomeWriter: OutcomeWriter,
    private readonly clock: Clock,
  ) {}

  /**
   * Waits long enough for the outcomes of an earlier delivery to be written. Resolves early if the signal is aborted.
   *
   * @throws a database error if the reminders of the messages cannot be written now
   */
  async waitForOutcomes(
    messageIds: readonly string[],
    clinicId: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await this.tryWriting(messageIds, clinicId);
    await delay(OUTCOME_WAIT_MS, undefined, { signal }).catch(() => undefined);
  }

  /** Executes the write that follows a delivery and rolls it back, to find out whether outcomes can be written. */
  private async tryWriting(messageIds: readonly string[], clinicId: number | undefined): Promise<void> {
    const rollBack = new Error('The write was only tried');
    const trying = forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(async (em) => {
      const where = { messageId: { $in: [...messageIds] }, status: 'QUEUED' } as const;
      const reminders = await em.find(Reminder, where, { fields: ['id', 'messageId'], ...UNTRACKED });
      await this.outcomeWriter.writeSent(reminders.map((reminder) => toTriedOutcome(reminder, this.clock.now())));
      throw rollBack;
    });
    await trying.catch((error: unknown) => {
      if (error !== rollBack) throw error;
    });
  }
}

function toTriedOutcome({ id, messageId }: Pick<Reminder, 'id' | 'messageId'>, now: Temporal.Instant): SentOutcome {
  return { id, messageId: messageId!, sentAt: now, expectedAt: now, historyEntry: { what: 'SENT' } };
}
