import { EntityManager, LockMode, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { forkForActor, runForEachClinicWithClaims } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { OutcomeWriter } from '../outcome/outcome-writer.js';
import { Reminder } from '../domain/reminder.entity.js';
import { ReminderQueue } from '../queue/reminder.queue.js';

/** Reminders queued more recently than this are not checked, because most are delivered within seconds. */
const MIN_TIME_IN_QUEUE = Temporal.Duration.from({ minutes: 2 });
const PAGE_SIZE = 500;

/** Finds QUEUED reminders whose jobs have been lost for any reason, and queues them again with the same message ID. */
@Injectable()
export class ReminderSweeper {
  /** The first sweep of a process checks all QUEUED reminders, because a restored backup contains no jobs. */
  private hasSweptAll = false;

  constructor(
    private readonly em: EntityManager,
    private readonly queue: ReminderQueue,
    private readonly outcomeWriter: OutcomeWriter,
    private readonly clock: Clock,
  ) {}

  /**
   * @param progress called after each page
   * @returns the number of reminders that were queued again
   */
  async sweep(progress: () => void = () => undefined): Promise<number> {
    const now = this.clock.now();
    const queuedAt = this.hasSweptAll ? { queuedAt: { $lt: now.subtract(MIN_TIME_IN_QUEUE) } } : {};
    const total = await runForEachClinicWithClaims(this.em, {
      actor: { role: 'REMINDERS' },
      rows: { table: 'reminder', condition: sql`status = 'QUEUED'` },
      work: (clinicId) => this.sweepPages(clinicId, queuedAt, now, progress),
    });
    this.hasSweptAll = true;
    return total;
  }

  private async sweepPages(
    clinicId: number | undefined,
    queuedAt: FilterQuery<Reminder>,
    now: Temporal.Instant,
    progress: () => void,
  ) {
    let total = 0;
    // Checks all pages, because the first ones may contain only reminders whose jobs still exist.
    for (let lastId: number | undefined = 0; lastId !== undefined;) {
      const page = await this.sweepPage(
        clinicId,
        { id: { $gt: lastId }, status: 'QUEUED', ...(queuedAt as object) },
        now,
      );
      total += page.requeued;
      lastId = page.lastId;
      progress();
    }
    return total;
  }

  /** Processes one page. Returns `lastId`, after which the next page starts; undefined after the last page. */
  private sweepPage(
    clinicId: number | undefined,
    where: FilterQuery<Reminder>,
    now: Temporal.Instant,
  ): Promise<{ requeued: number; lastId: number | undefined }> {
    return forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(async (em) => {
      // All instances sweep at the same second. SKIP LOCKED ensures that only one of them processes a row.
      const lockMode = LockMode.PESSIMISTIC_PARTIAL_WRITE;
      const queued = await em.find(Reminder, where, { orderBy: { id: 'asc' }, limit: PAGE_SIZE, lockMode });
      const live = await this.queue.findMessageIdsWithLiveJob(
        em,
        queued.map(({ messageId }) => messageId!),
      );
      const lost = queued.filter(({ messageId }) => !live.has(messageId!));
      const outcomes = lost.map(({ id }) => ({
        id,
        status: 'QUEUED' as const,
        historyEntry: { what: 'QUEUED' as const, reason: 'JOB_LOST' },
      }));
      const written = await this.outcomeWriter.write('QUEUED', outcomes, now);
      const messageIds = lost.filter(({ id }) => written.has(id)).map(({ messageId }) => messageId!);
      await this.queue.insert(em, [...new Set(messageIds)]);
      return { requeued: written.size, lastId: queued.length < PAGE_SIZE ? undefined : queued.at(-1)!.id };
    });
  }
}
