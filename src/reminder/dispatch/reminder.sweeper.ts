import { EntityManager, LockMode, type FilterQuery } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { runForEachClinicWithClaims } from '../../scheduler/index.js';
import { splitIntoBatches } from '../../shared/batches.js';
import { forkForActor, UNTRACKED } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { RecipientProfiles } from '../delivery/recipient-profiles.js';
import { OutcomeWriter } from '../outcome/outcome-writer.js';
import { Reminder } from '../domain/reminder.entity.js';
import { ReminderQueue } from '../queue/reminder.queue.js';

/** Reminders queued more recently than this are not checked, because most are delivered within seconds. */
const MIN_TIME_IN_QUEUE = Temporal.Duration.from({ minutes: 2 });
/** Number of reminders that are checked together. It is large, because each search for jobs reads all jobs of the queue. */
const PAGE_SIZE = 5_000;
/** Maximum number of reminders that one transaction locks and queues again. */
const BATCH_SIZE = 500;

/** Finds QUEUED reminders whose jobs have been lost for any reason, and queues them again with the same message ID. */
@Injectable()
export class ReminderSweeper {
  /** The first sweep of a process checks all QUEUED reminders, because a restored backup contains no jobs. */
  private hasSweptAll = false;

  constructor(
    private readonly em: EntityManager,
    private readonly queue: ReminderQueue,
    private readonly recipientProfiles: RecipientProfiles,
    private readonly outcomeWriter: OutcomeWriter,
    private readonly clock: Clock,
  ) {}

  /**
   * @param progress called after each transaction
   * @returns the number of reminders that were queued again
   */
  async sweep(progress: () => void = () => undefined): Promise<number> {
    const now = this.clock.now();
    const queuedAt = this.hasSweptAll ? { queuedAt: { $lt: now.subtract(MIN_TIME_IN_QUEUE) } } : {};
    const total = await runForEachClinicWithClaims(this.em, {
      name: 'reminder sweep',
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
      const page = await this.findLost(clinicId, { id: { $gt: lastId }, status: 'QUEUED', ...(queuedAt as object) });
      ({ lastId } = page);
      progress();
      for (const batch of splitIntoBatches(page.ids, BATCH_SIZE)) {
        total += await this.requeueLost(clinicId, batch, now);
        progress();
      }
    }
    return total;
  }

  /**
   * Finds the reminders of a page whose jobs do not exist. They are not locked, because almost all reminders have a job.
   *
   * @returns their IDs, and the ID after which the next page starts; undefined after the last page
   */
  private findLost(
    clinicId: number | undefined,
    where: FilterQuery<Reminder>,
  ): Promise<{ ids: number[]; lastId: number | undefined }> {
    return forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(async (em) => {
      const options = { fields: ['id', 'messageId'], orderBy: { id: 'asc' }, limit: PAGE_SIZE, ...UNTRACKED } as const;
      const queued = await em.find(Reminder, where, options);
      const lastId = queued.length < PAGE_SIZE ? undefined : queued.at(-1)!.id;
      return { ids: (await this.withoutJob(em, queued)).map(({ id }) => id), lastId };
    });
  }

  /** Locks reminders, checks again that they have no job, and queues them again. Returns their number. */
  private requeueLost(clinicId: number | undefined, ids: readonly number[], now: Temporal.Instant): Promise<number> {
    return forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(async (em) => {
      // All instances sweep at the same second. SKIP LOCKED ensures that only one of them processes a row.
      const lockMode = LockMode.PESSIMISTIC_PARTIAL_WRITE;
      const where = { id: { $in: [...ids] }, status: 'QUEUED' } as const;
      const lost = await this.withoutJob(em, await em.find(Reminder, where, { orderBy: { id: 'asc' }, lockMode }));
      if (lost.length === 0) return 0;
      const queuedAgain = { status: 'QUEUED', historyEntry: { what: 'QUEUED', reason: 'JOB_LOST' } } as const;
      const outcomes = lost.map(({ id }) => ({ id, ...queuedAgain }));
      const written = await this.outcomeWriter.write('QUEUED', outcomes, now);
      const requeued = lost.filter(({ id }) => written.has(id));
      const profiles = await this.recipientProfiles.find(
        requeued.map(({ recipientKind: kind, recipientId: id }) => ({ kind, id })),
      );
      const channels = new Map(
        requeued.map(({ messageId, recipientKey }) => [messageId!, profiles.get(recipientKey)?.preference.channels[0]]),
      );
      const messages = [...channels].map(([messageId, channel]) => ({ messageId, channel }));
      await this.queue.insert(em, messages);
      return written.size;
    });
  }

  /** Returns the reminders whose message has no waiting or active job. */
  private async withoutJob<Queued extends Pick<Reminder, 'messageId'>>(
    em: EntityManager,
    queued: readonly Queued[],
  ): Promise<Queued[]> {
    if (queued.length === 0) return [];
    const messageIds = queued.map(({ messageId }) => messageId!);
    const live = await this.queue.findMessageIdsWithLiveJob(em, messageIds);
    return queued.filter(({ messageId }) => !live.has(messageId!));
  }
}
