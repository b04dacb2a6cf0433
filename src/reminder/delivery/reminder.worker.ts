import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import DataLoader from 'dataloader';
import { sql } from 'kysely';
import pLimit, { type LimitFunction } from 'p-limit';
import type { JobWithMetadata } from 'pg-boss';
import { Environment } from '../../shared/config/env.js';
import { forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { latestOf, nextAttempt, retryAt } from '../domain/attempts.js';
import { NotNowError, UndeliverableError } from '../channel/channel.js';
import { Channels } from '../channel/channel-registry.js';
import { classOf, untilDatabaseAnswers } from './database-retry.js';
import { dead, deferred, failed } from './delivery-outcome.js';
import { DeliveryOutcomes, type DeliveryOutcome, type Sent } from './outcome-writer.js';
import { Reminder } from '../domain/reminder.entity.js';
import { ReminderPreparation, type Prepared } from './message-preparation.js';
import type { ReminderJob } from '../queue/reminder.queue.js';
import { SentWriter } from './sent-outcome-writer.js';

type Job = JobWithMetadata<ReminderJob>;

/** After this long, a message is written anew before it goes out: wishes and times may have changed. */
const FRESH_MS = 1_000;
/** Messages that are prepared together: few enough to be still fresh when their turn comes. */
const SLICE = 25;

/**
 * Delivers messages that the queue hands out, and writes the outcome back to the reminders. Delivery is at
 * least once: a process that dies between the channel and the rows delivers again, with the same message id.
 */
@Injectable()
export class ReminderWorker {
  private readonly logger = new Logger(ReminderWorker.name);
  /** By channel: who waits for it waits here, where a message can still be taken back. */
  private readonly lanes = new Map<string, LimitFunction>();
  private readonly queued = coalescing((ids: readonly string[]) => this.countQueued(ids));
  private readonly anew = coalescing(async (ids: readonly string[]) => {
    const prepared = await this.prepare(ids);
    return ids.map((id) => prepared.get(id));
  });
  private readonly stopping = new AbortController();

  constructor(
    private readonly em: EntityManager,
    private readonly channels: Channels,
    private readonly preparation: ReminderPreparation,
    private readonly sentWriter: SentWriter,
    private readonly ledger: DeliveryOutcomes,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /** Delivers a batch; a message that fails does not hold up another, and waits in its row. */
  async deliver(jobs: readonly Job[]): Promise<void> {
    const slices: Promise<PromiseSettledResult<DeliveryOutcome[]>[]>[] = [];
    for (let start = 0; start < jobs.length; start += SLICE) {
      const { begun, outcomes } = this.deliverSlice(jobs.slice(start, start + SLICE));
      slices.push(outcomes);
      await begun;
    }
    const all = (await Promise.all(slices)).flat();
    const outcomes = all.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    // Not before the whole batch is done: a row that waits again may get a job again, and this one is still there.
    await this.writeOutcomes(outcomes);
    for (const one of all) if (one.status === 'rejected') throw one.reason;
  }

  /** `begun`: each has had its turn in the lane of its channel. One that takes long there does not hold up the next slice. */
  private deliverSlice(jobs: readonly Job[]) {
    const preparing = this.prepare(jobs.map(({ data }) => data.messageId));
    const turns = jobs.map(() => Promise.withResolvers<undefined>());
    const outcomes = jobs.map(async (job, index) => {
      const onTurn = () => turns[index]!.resolve(undefined);
      try {
        return await this.deliverOne(job, (await preparing).get(job.data.messageId), onTurn);
      } finally {
        onTurn();
      }
    });
    return { begun: Promise.all(turns.map(({ promise }) => promise)), outcomes: Promise.allSettled(outcomes) };
  }

  /** Marks reminders whose message has used up its attempts. */
  bury(jobs: readonly ReminderJob[]): Promise<void> {
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      const messageId = { $in: jobs.map((job) => job.messageId).filter((id) => !this.sentWriter.has(id)) };
      const reminders = await em.find(Reminder, { messageId, status: 'QUEUED' }, { fields: ['id'] });
      await this.ledger.write(
        'QUEUED',
        reminders.map(({ id }) => dead(id, 'ATTEMPTS_EXHAUSTED')),
        this.clock.now(),
      );
    });
  }

  /** Whoever still waits for a channel is left to another instance; what is on its way is finished. */
  stop(): void {
    this.stopping.abort();
    this.sentWriter.release();
  }

  /** After the queue has stopped: nobody waits any more for what could not be written. */
  giveUp(): void {
    this.sentWriter.giveUp();
  }

  /** By the first of the recipient's channels that can reach them. */
  private async deliverOne(job: Job, prepared: Prepared | undefined, onTurn: () => void): Promise<DeliveryOutcome[]> {
    let current = prepared;
    for (const name of prepared?.addressee.preference.channels ?? []) {
      let written: PromiseSettledResult<void> | undefined;
      try {
        written = await this.lane(name)(async () => {
          onTurn();
          current = current && (await this.stillWanted(job, current));
          return current && this.deliverBy(name, current);
        });
      } catch (error) {
        if (error instanceof UndeliverableError) continue;
        return this.failureOf(current!, error, name);
      }
      // It has left: that its rows do not say so is no failure of its channel.
      if (written?.status === 'rejected') throw written.reason;
      // Sent; or settled already, by an earlier attempt whose completion did not reach the queue; or withdrawn.
      return [];
    }
    if (current === undefined) return [];
    return this.failureOf(current, new UndeliverableError('No channel can reach the recipient'));
  }

  /** Its place in the lane is free once that is written: no more than have one can have left unwritten when the process dies. */
  private async deliverBy(name: string, prepared: Prepared): Promise<PromiseSettledResult<void>> {
    const { message, reminders, addressee, expectedAt } = prepared;
    const { messageId, late } = message;
    const { providerId } = await this.channels.get(name)!.deliver(message);
    const story: Sent['story'] = { what: 'SENT', channel: name, late };
    if (addressee.fallback !== undefined) story['fallback'] = addressee.fallback;
    // What another service says must not be what the row cannot be written for.
    if (providerId !== undefined) story['providerId'] = providerId.toWellFormed().replaceAll('\0', '');
    const at = this.clock.now();
    const sent = reminders.map(({ id }) => ({ id, messageId, at, expectedAt: expectedAt.get(id)!, story }));
    const [written] = await Promise.allSettled([this.sentWriter.write(messageId, sent)]);
    return written;
  }

  private async writeOutcomes(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    if (outcomes.length === 0) return;
    const em = forkForActor(this.em, { role: 'REMINDERS' });
    await this.persistently(() => em.transactional(() => this.ledger.write('QUEUED', outcomes, this.clock.now())));
  }

  private prepare(messageIds: readonly string[]): Promise<Map<string, Prepared>> {
    return this.persistently(() => this.preparation.prepare(messageIds));
  }

  /** The attempts of the queue count processes that have died, not a database that does not answer. */
  private persistently<T>(work: () => Promise<T>): Promise<T> {
    return untilDatabaseAnswers(work, this.stopping.signal, ({ name, code }) =>
      this.logger.error({ error: name, code }, 'the database does not answer: tried again'),
    );
  }

  private lane(name: string): LimitFunction {
    const lane = this.lanes.get(name) ?? pLimit(this.channels.get(name)!.concurrency);
    this.lanes.set(name, lane);
    return lane;
  }

  /** All of one message wait for the same moment, so that they go out together again. */
  private failureOf({ message, reminders }: Prepared, error: unknown, channel?: string): DeliveryOutcome[] {
    const { messageId } = message;
    const now = this.clock.now();
    if (error instanceof NotNowError) {
      const until = now.add({ seconds: error.seconds });
      return reminders.map(({ id }) => deferred(id, until, 'CHANNEL_BUSY'));
    }
    const attempt = Math.max(...reminders.map(({ story }) => nextAttempt(story)));
    this.logger.warn(
      { event: 'reminder.failed', messageId, attempt, errorClass: classOf(error) },
      'reminder not delivered',
    );
    if (error instanceof UndeliverableError) return reminders.map(({ id }) => dead(id, 'UNDELIVERABLE'));
    const latest = reminders.map((reminder) => latestOf(reminder, this.environment.reminderMaxLateness));
    const [earliest] = latest.toSorted((a, b) => Temporal.Instant.compare(a, b));
    const until = retryAt(attempt, now, earliest);
    const tried = channel === undefined ? { attempt } : { attempt, channel };
    return reminders.map(({ id }) => failed(id, until, tried, error));
  }

  /** As late as can be: what has been withdrawn since the batch was prepared is not sent. */
  private async stillWanted(job: Job, prepared: Prepared): Promise<Prepared | undefined> {
    const { message, reminders, at } = prepared;
    await this.sentWriter.healthy();
    if (this.stopping.signal.aborted) throw new NotNowError(0);
    // It has left already, or another instance has the job, as this one was not heard of for too long.
    if (this.sentWriter.has(message.messageId) || job.signal.aborted) return undefined;
    if (performance.now() - at < FRESH_MS) {
      const queued = await this.queued.load(message.messageId);
      // A message loses reminders, and never gains any.
      if (queued === reminders.length) return prepared;
      if (queued === 0) return undefined;
    }
    return this.anew.load(message.messageId);
  }

  /** How many reminders of each message wait to go out with it. */
  private countQueued(messageIds: readonly string[]): Promise<number[]> {
    return this.persistently(() => this.readQueued(messageIds));
  }

  private readQueued(messageIds: readonly string[]): Promise<number[]> {
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      const { rows } = await sql<{ message_id: string; queued: number }>`
        select message_id, count(*)::int as queued from reminder
        where message_id = any(${[...messageIds]}::uuid[]) and status = 'QUEUED'
        group by message_id`.execute((em as SqlEntityManager).getKysely());
      const counts = new Map(rows.map((row) => [row.message_id, row.queued]));
      return messageIds.map((messageId) => counts.get(messageId) ?? 0);
    });
  }
}

/** Keys that are asked for while a batch is read are read together, with the next one. */
function coalescing<Key, Value>(read: (keys: readonly Key[]) => Promise<Value[]>): DataLoader<Key, Value> {
  let reading: Promise<unknown> = Promise.resolve();
  const readNext = (keys: readonly Key[]) => {
    const batch = read(keys);
    reading = batch.catch(() => undefined);
    return batch;
  };
  return new DataLoader(readNext, {
    cache: false,
    batchScheduleFn: (dispatch) => void reading.then(() => setImmediate(dispatch)),
  });
}
