import { EntityManager, LockMode, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { DeliveryOutcomes } from '../delivery/outcome-writer.js';
import { Reminder } from '../domain/reminder.entity.js';
import { ReminderQueue } from '../queue/reminder.queue.js';

/** After this long in the queue, a reminder is looked after: most are settled within seconds. */
const LOOKED_AFTER = Temporal.Duration.from({ minutes: 2 });
const BATCH = 500;

/**
 * Reminders and the jobs of the queue cannot drift apart for long: what was handed over and has no live job any
 * more, however that came to be, is handed over again, with the same message id.
 */
@Injectable()
export class ReminderSweeper {
  /** A start or a restore leaves reminders behind whose jobs are gone: the first sweep of a process looks at all. */
  private hasLookedAtAll = false;

  constructor(
    private readonly em: EntityManager,
    private readonly queue: ReminderQueue,
    private readonly ledger: DeliveryOutcomes,
    private readonly clock: Clock,
  ) {}

  /** Returns how many reminders were handed over again. */
  async sweep(): Promise<number> {
    const now = this.clock.now();
    const queuedAt = this.hasLookedAtAll ? { queuedAt: { $lt: now.subtract(LOOKED_AFTER) } } : {};
    let total = 0;
    // All of them: those that wait for an attempt of much later must not hide the lost ones behind them.
    for (let last: number | undefined = 0; last !== undefined;) {
      const page = await this.sweepPage({ id: { $gt: last }, status: 'QUEUED', ...queuedAt }, now);
      total += page.again;
      last = page.last;
    }
    this.hasLookedAtAll = true;
    return total;
  }

  private sweepPage(
    where: FilterQuery<Reminder>,
    now: Temporal.Instant,
  ): Promise<{ again: number; last: number | undefined }> {
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      // Every instance sweeps at the same second: one has a row, and the others find it handed over anew.
      const lockMode = LockMode.PESSIMISTIC_PARTIAL_WRITE;
      const handedOver = await em.find(Reminder, where, { orderBy: { id: 'asc' }, limit: BATCH, lockMode });
      const live = await this.queue.liveMessageIds(
        em,
        handedOver.map(({ messageId }) => messageId!),
      );
      const lost = handedOver.filter(({ messageId }) => !live.has(messageId!));
      const outcomes = lost.map(({ id }) => ({
        id,
        status: 'QUEUED' as const,
        story: { what: 'QUEUED' as const, reason: 'JOB_LOST' },
      }));
      const written = await this.ledger.write('QUEUED', outcomes, now);
      const again = lost.filter(({ id }) => written.has(id)).map(({ messageId }) => messageId!);
      await this.queue.insert(em, [...new Set(again)]);
      return { again: written.size, last: handedOver.length < BATCH ? undefined : handedOver.at(-1)!.id };
    });
  }
}
