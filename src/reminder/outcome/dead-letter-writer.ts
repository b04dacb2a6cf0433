import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Reminder } from '../domain/reminder.entity.js';
import type { ReminderJob } from '../queue/reminder.queue.js';
import { restrictToMessages, toDeadLetterOutcome } from './delivery-outcome.js';
import { OutcomeWriter } from './outcome-writer.js';
import { SentOutcomeWriter } from './sent-outcome-writer.js';

/** Marks reminders as dead letters if the jobs of their messages have used up the queue's retries. */
@Injectable()
export class DeadLetterWriter {
  constructor(
    private readonly em: EntityManager,
    private readonly sentOutcomeWriter: SentOutcomeWriter,
    private readonly outcomeWriter: OutcomeWriter,
    private readonly clock: Clock,
  ) {}

  /** On a distributed database, an error for one Clinic does not prevent the writes for the others. */
  async write(jobs: readonly ReminderJob[]): Promise<void> {
    const failures: unknown[] = [];
    for (const [clinicId, ofClinic] of Map.groupBy(jobs, (job) => job.clinicId))
      await this.writeForClinic(clinicId, ofClinic).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  private writeForClinic(clinicId: number | undefined, jobs: readonly ReminderJob[]): Promise<void> {
    return forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(async (em) => {
      const messageIds = jobs.map((job) => job.messageId).filter((id) => !this.sentOutcomeWriter.isPending(id));
      const where = { messageId: { $in: messageIds }, status: 'QUEUED' } as const;
      const reminders = await em.find(Reminder, where, { fields: ['id', 'messageId'] });
      const outcomes = reminders.map(({ id }) => toDeadLetterOutcome(id, 'ATTEMPTS_EXHAUSTED'));
      await this.outcomeWriter.write('QUEUED', restrictToMessages(outcomes, reminders), this.clock.now());
    });
  }
}
