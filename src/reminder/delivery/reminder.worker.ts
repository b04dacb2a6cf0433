import { EntityManager } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import type { JobWithMetadata } from 'pg-boss';
import { Environment } from '../../shared/config/env.js';
import { forkForActor, isServerFailure } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { Tracing } from '../../shared/tracing/index.js';
import { UndeliverableError } from '../channel/channel.js';
import { ChannelRegistry } from '../channel/channel-registry.js';
import type { ReminderJob } from '../queue/reminder.queue.js';
import { isDataError, retryWhileDatabaseFails } from '../outcome/database-retry.js';
import type { DeliveryOutcome } from '../outcome/delivery-outcome.js';
import { DeliveryPacer } from './delivery-pacer.js';
import { EarlierDeliveryWaiter } from '../outcome/earlier-delivery.js';
import { InstanceStoppedError, toFailedAttemptLog, toFailedMessageOutcomes } from '../outcome/message-failure.js';
import { MessageLoaders } from './message-loaders.js';
import { MessagePreparation, toSentOutcomes, type PreparedMessage } from './message-preparation.js';
import { OutcomeWriter } from '../outcome/outcome-writer.js';
import { traceChannel, traceDelivery } from './delivery-spans.js';
import { countQueuedReminders } from './queued-count.js';
import { SentOutcomeWriter } from '../outcome/sent-outcome-writer.js';

type Job = JobWithMetadata<ReminderJob>;

/** A message older than this is prepared again before it is sent, because preferences and times may have changed. */
const MAX_MESSAGE_AGE_MS = 1_000;
/**
 * Number of messages that are prepared together. In a larger slice, the last messages would be too old when they are
 * sent.
 */
const SLICE_SIZE = 25;
/** The slice size while requests are served, small enough to delay a request by only a few milliseconds. */
const PACED_SLICE_SIZE = 3;

/**
 * Delivers the messages of queue jobs and records the outcomes in the reminders. Messages are delivered at least once:
 * if the process crashes between the channel's response and the write, the message is sent again with the same ID.
 */
@Injectable()
export class ReminderWorker {
  private readonly logger = new Logger(ReminderWorker.name);
  /** Limits the concurrent deliveries of each channel. A message that waits here can still be withdrawn. */
  private readonly limitersByChannel = new Map<string, LimitFunction>();
  private readonly loaders = new MessageLoaders(
    (ids, clinicId) => this.withDatabaseRetry(() => countQueuedReminders(this.em, ids, clinicId)),
    (ids, clinicId) => this.prepare(ids, clinicId),
  );
  private readonly shutdown = new AbortController();

  constructor(
    private readonly em: EntityManager,
    private readonly channels: ChannelRegistry,
    private readonly preparation: MessagePreparation,
    private readonly earlierDelivery: EarlierDeliveryWaiter,
    private readonly sentOutcomeWriter: SentOutcomeWriter,
    private readonly outcomeWriter: OutcomeWriter,
    private readonly environment: Environment,
    private readonly clock: Clock,
    private readonly pace: DeliveryPacer,
    private readonly tracing: Tracing,
  ) {}

  /**
   * Delivers a batch of messages. On a distributed database, the messages of each Clinic form a separate batch. If the
   * server of a Clinic does not answer in time, the Clinic's reminders stay QUEUED, and the sweeper queues them again.
   */
  async deliverBatch(jobs: readonly Job[]): Promise<void> {
    const batches = [...Map.groupBy(jobs, ({ data }) => data.clinicId)];
    const results = await Promise.allSettled(
      batches.map(([clinicId, ofClinic]) => this.deliverBatchOf(clinicId, ofClinic)),
    );
    for (const result of results)
      if (result.status === 'rejected' && !isServerFailure(this.em, result.reason)) throw result.reason;
  }

  /**
   * Delivers a batch and records its outcomes. A failed message does not affect the others; its reminders wait in their
   * rows for the next attempt.
   *
   * @param clinicId the Clinic of all these messages on a distributed database; undefined otherwise
   */
  private async deliverBatchOf(clinicId: number | undefined, jobs: readonly Job[]): Promise<void> {
    const retried = jobs.filter(({ retryCount }) => retryCount > 0);
    const results = await this.deliverSlices(jobs.filter(({ retryCount }) => retryCount === 0));
    if (retried.length > 0) {
      await this.waitForEarlierDeliveries(retried, clinicId);
      results.push(...(await this.deliverSlices(retried)));
    }
    const outcomes = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    // Written only after the whole batch: a PENDING reminder could get a new job while its current job still exists.
    await this.writeOutcomes(clinicId, outcomes);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  private async deliverSlices(jobs: readonly Job[]): Promise<PromiseSettledResult<DeliveryOutcome[]>[]> {
    const slices: Promise<PromiseSettledResult<DeliveryOutcome[]>[]>[] = [];
    for (let start = 0; start < jobs.length;) {
      start = await this.pace.run(async (isPaced) => {
        const end = start + (isPaced ? PACED_SLICE_SIZE : SLICE_SIZE);
        const { started, results } = this.deliverSlice(jobs.slice(start, end), isPaced);
        slices.push(results);
        await started;
        return end;
      });
    }
    return (await Promise.all(slices)).flat();
  }

  private waitForEarlierDeliveries(jobs: readonly Job[], clinicId: number | undefined): Promise<void> {
    const messageIds = jobs.map(({ data }) => data.messageId);
    return this.withDatabaseRetry(() =>
      this.earlierDelivery.waitForOutcomes(messageIds, clinicId, this.shutdown.signal),
    );
  }

  /** `started` resolves once each delivery has begun or ended, so slow deliveries do not delay the next slice. */
  private deliverSlice(jobs: readonly Job[], isPaced: boolean) {
    const preparing = this.prepare(
      jobs.map(({ data }) => data.messageId),
      jobs[0]!.data.clinicId,
    );
    const starts = jobs.map(() => Promise.withResolvers<undefined>());
    const results = jobs.map(async (job, index) => {
      const onStart = () => starts[index]!.resolve(undefined);
      try {
        const prepared = (await preparing).get(job.data.messageId);
        const deliver = () => this.deliverMessage(job, prepared, isPaced, onStart);
        return await traceDelivery(this.tracing, job.data, prepared, deliver);
      } finally {
        onStart();
      }
    });
    return { started: Promise.all(starts.map(({ promise }) => promise)), results: Promise.allSettled(results) };
  }

  /** Lets deliveries that have begun finish. All other messages are left to other instances. */
  stop(): void {
    this.shutdown.abort();
    this.sentOutcomeWriter.stopWaiting();
  }

  /** Gives up writes that still fail. Must be called after the queue has stopped. */
  abandonWrites(): void {
    this.sentOutcomeWriter.abandon();
  }

  /** Tries the recipient's channels in order until one of them accepts the message or fails temporarily. */
  private async deliverMessage(
    job: Job,
    prepared: PreparedMessage | undefined,
    isPaced: boolean,
    onStart: () => void,
  ): Promise<DeliveryOutcome[]> {
    let message = prepared;
    const tried = new Set<string>();
    for (;;) {
      const name = message?.recipient.preference.channels.find((candidate) => !tried.has(candidate));
      if (name === undefined) break;
      tried.add(name);
      let written: PromiseSettledResult<void> | undefined;
      try {
        written = await this.getChannelLimiter(name)(async () => {
          onStart();
          const send = async () => {
            message = message && (await this.revalidate(job, message));
            return message && this.deliverThroughChannel(name, message);
          };
          // This slice was started without pacing, but requests may have arrived since.
          return isPaced ? send() : this.pace.run(send);
        });
      } catch (error) {
        if (error instanceof UndeliverableError) continue;
        return this.toFailureOutcomes(message!, error, name);
      }
      // The message has been sent, so a failed write does not count as a channel failure.
      if (written?.status === 'rejected') throw written.reason;
      // The message was sent, now or by an earlier attempt of the job, or it was withdrawn.
      return [];
    }
    if (message === undefined) return [];
    return this.toFailureOutcomes(message, new UndeliverableError('No channel can reach the recipient'));
  }

  /**
   * Sends a message through a channel and writes its outcomes. Waiting for the write limits how many messages are sent
   * but not yet marked as SENT.
   */
  private async deliverThroughChannel(name: string, prepared: PreparedMessage): Promise<PromiseSettledResult<void>> {
    // The recipient may have chosen other channels while the message waited.
    if (!prepared.recipient.preference.channels.includes(name)) throw new UndeliverableError('No longer chosen');
    const send = () => this.channels.get(name)!.deliver(prepared.message);
    const { providerId } = await traceChannel(this.tracing, name, prepared, send);
    const outcomes = toSentOutcomes(prepared, name, providerId, this.clock.now());
    const [written] = await Promise.allSettled([this.sentOutcomeWriter.write(prepared.message, outcomes)]);
    return written;
  }

  private async writeOutcomes(clinicId: number | undefined, outcomes: readonly DeliveryOutcome[]): Promise<void> {
    if (outcomes.length === 0) return;
    const em = forkForActor(this.em, { role: 'REMINDERS', clinicId });
    await this.withDatabaseRetry(() =>
      em.transactional(() => this.outcomeWriter.write('QUEUED', outcomes, this.clock.now())),
    );
  }

  private prepare(messageIds: readonly string[], clinicId: number | undefined): Promise<Map<string, PreparedMessage>> {
    return this.withDatabaseRetry(() => this.preparation.prepare(messageIds, clinicId));
  }

  /** The queue retries only the jobs of crashed processes, so database errors are handled here. */
  private withDatabaseRetry<T>(operation: () => Promise<T>): Promise<T> {
    return retryWhileDatabaseFails(
      operation,
      this.shutdown.signal,
      ({ name, code }) =>
        this.logger.error({ error: name, code }, 'the database cannot execute a statement; it is repeated'),
      (error) => isDataError(error) || isServerFailure(this.em, error),
    );
  }

  private getChannelLimiter(name: string): LimitFunction {
    const limiter = this.limitersByChannel.get(name) ?? pLimit(this.channels.get(name)!.concurrency);
    this.limitersByChannel.set(name, limiter);
    return limiter;
  }

  private toFailureOutcomes(prepared: PreparedMessage, error: unknown, channel?: string): DeliveryOutcome[] {
    const logEntry = toFailedAttemptLog(prepared, error);
    if (logEntry !== undefined) this.logger.warn(logEntry, 'reminder not delivered');
    return toFailedMessageOutcomes(prepared, error, this.clock.now(), this.environment.reminderMaxLateness, channel);
  }

  /**
   * Checks a message right before it is sent, because reminders may have been withdrawn since it was prepared. Returns
   * the message, a newly prepared one, or undefined if there is nothing left to send.
   */
  private async revalidate(job: Job, prepared: PreparedMessage): Promise<PreparedMessage | undefined> {
    const { message, reminders, preparedAtMs } = prepared;
    const { queuedCounts, refreshedMessages } = this.loaders.of(job.data.clinicId);
    await this.sentOutcomeWriter.waitUntilHealthy(message.clinicId);
    if (this.shutdown.signal.aborted) throw new InstanceStoppedError();
    // The message has already been sent, or the queue has given the job to another instance after a missed heartbeat.
    if (this.sentOutcomeWriter.isPending(message.messageId) || job.signal.aborted) return undefined;
    if (performance.now() - preparedAtMs < MAX_MESSAGE_AGE_MS) {
      const queued = await queuedCounts.load(message.messageId);
      // A message can lose reminders but never gains any, so an equal count means the same reminders.
      if (queued === reminders.length) return prepared;
      if (queued === 0) return undefined;
    }
    return refreshedMessages.load(message.messageId);
  }
}
