import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { actingAs } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { ReminderLedger } from './reminder-ledger.js';
import { Reminder } from './reminder.entity.js';
import { ReminderQueue } from './reminder.queue.js';

/** After this long in the queue, a reminder is looked after: most are settled within seconds. */
const LOOKED_AFTER = Temporal.Duration.from({ minutes: 2 });
const BATCH = 500;

/**
 * Reminders and the jobs of the queue cannot drift apart for long: what was handed over and has no live job any
 * more, however that came to be, is handed over again, with the same message id.
 */
@Injectable()
export class ReminderSweeper {
  constructor(
    private readonly em: EntityManager,
    private readonly queue: ReminderQueue,
    private readonly ledger: ReminderLedger,
    private readonly clock: Clock,
  ) {}

  /** Returns how many reminders were handed over again. */
  sweep(): Promise<number> {
    return actingAs(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      const now = this.clock.now();
      const where = { status: 'QUEUED', queuedAt: { $lt: now.subtract(LOOKED_AFTER) } } as const;
      const handedOver = await em.find(Reminder, where, { orderBy: { queuedAt: 'asc' }, limit: BATCH });
      const live = await this.queue.liveMessageIds(
        em,
        handedOver.map(({ messageId }) => messageId!),
      );
      const lost = handedOver.filter(({ messageId }) => !live.has(messageId!));
      // Written first: of instances that sweep at once, one finds them as they were.
      const outcomes = lost.map(({ id }) => ({
        id,
        status: 'QUEUED' as const,
        story: { what: 'QUEUED' as const, reason: 'JOB_LOST' },
      }));
      const written = await this.ledger.write('QUEUED', outcomes, now);
      const again = lost.filter(({ id }) => written.has(id)).map(({ messageId }) => messageId!);
      await this.queue.insert(em, [...new Set(again)]);
      return written.size;
    });
  }
}
