import { EntityManager } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import type { Job, JobResult } from 'pg-boss';
import { Clock } from '../shared/time/index.js';
import { ReminderChannel, type ReminderMessage } from './channel/channel.js';
import { Reminder } from './reminder.entity.js';
import type { ReminderJob } from './reminder.queue.js';

/**
 * Delivers reminders that the queue hands out, and writes the outcome back to their rows. Delivery is
 * at least once: a process that dies between the channel and the row delivers again, with the same
 * message id.
 */
@Injectable()
export class ReminderWorker {
  private readonly logger = new Logger(ReminderWorker.name);

  constructor(
    private readonly em: EntityManager,
    private readonly channel: ReminderChannel,
    private readonly clock: Clock,
  ) {}

  /** Delivers a batch; one that fails does not hold up another. */
  async deliver(jobs: readonly Job<ReminderJob>[]): Promise<JobResult[]> {
    const queued = await this.queuedReminders(jobs.map((job) => job.data.reminderId));
    const results = await Promise.all(jobs.map((job) => this.deliverOne(job, queued.get(job.data.reminderId))));
    const sent = jobs.filter((_, index) => results[index]!.status === 'completed').map((job) => job.data.reminderId);
    await this.settle(sent, 'SENT');
    return results;
  }

  /** Marks reminders that have used up their attempts. */
  bury(jobs: readonly ReminderJob[]): Promise<void> {
    return this.settle(
      jobs.map((job) => job.reminderId),
      'DEAD',
    );
  }

  private async deliverOne(job: Job<ReminderJob>, reminder: Reminder | undefined): Promise<JobResult> {
    // Settled already, by an earlier attempt whose completion did not reach the queue.
    if (reminder === undefined) return { id: job.id, status: 'completed' };
    try {
      await this.channel.deliver(messageOf(reminder));
      return { id: job.id, status: 'completed' };
    } catch (error) {
      const errorClass = error instanceof Error ? error.name : typeof error;
      this.logger.warn(
        { event: 'reminder.failed', reminderId: reminder.id, attempt: job.retryCount + 1, errorClass },
        'reminder not delivered',
      );
      return { id: job.id, status: 'failed', output: { errorClass } };
    }
  }

  private queuedReminders(ids: readonly number[]): Promise<Map<number, Reminder>> {
    return this.em.transactional(async (em) => {
      const reminders = await em.find(Reminder, { id: { $in: [...ids] }, status: 'QUEUED' });
      return new Map(reminders.map((reminder) => [reminder.id, reminder]));
    });
  }

  private async settle(ids: readonly number[], status: 'SENT' | 'DEAD'): Promise<void> {
    if (ids.length === 0) return;
    await this.em.transactional((em) =>
      em.nativeUpdate(Reminder, { id: { $in: [...ids] }, status: 'QUEUED' }, { status, settledAt: this.clock.now() }),
    );
  }
}

function messageOf(reminder: Reminder): ReminderMessage {
  const { id, clinicId, sessionId, dueAt, recipientKind, recipientId } = reminder;
  return {
    messageId: `reminder-${id}`,
    recipient: { kind: recipientKind, id: recipientId },
    clinicId,
    sessionId,
    dueAt,
  };
}
