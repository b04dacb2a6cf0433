import { EntityManager } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import { Distribution, forkForActor } from '../../shared/persistence/index.js';
import { RetryLaterError } from '../channel/channel.js';
import { retryWhileDatabaseFails } from './database-retry.js';
import type { SentOutcome } from './delivery-outcome.js';
import { OutcomeWriter } from './outcome-writer.js';

type Message = { messageId: string; clinicId: number };
type PendingWrite = {
  messageId: string;
  outcomes: readonly SentOutcome[];
  completion: PromiseWithResolvers<undefined>;
};

/** A queue of writes that are executed one after another, so a failing write delays those behind it. */
type Lane = {
  clinicId: number | undefined;
  queue: PendingWrite[];
  draining: Promise<void> | undefined;
  /** Defined while writes fail; resolves when a write succeeds again. */
  recovery: PromiseWithResolvers<undefined> | undefined;
};

/** When a message of a Clinic whose writes fail is tried again, on a distributed database. */
const RETRY_AFTER_SECONDS = 60;

/**
 * Marks reminders as SENT, and retries a failed write until it succeeds: the message has already been sent, and without
 * the write it would be sent again. The number of pending writes is limited, because a message occupies its place in
 * the channel until its outcome is written. On a distributed database, a failing write delays only the same Clinic: its
 * other messages are not sent, and those that were sent no longer occupy a place that other Clinics need.
 */
@Injectable()
export class SentOutcomeWriter {
  private readonly logger = new Logger(SentOutcomeWriter.name);
  private readonly pendingMessageIds = new Set<string>();
  /** The lanes by Clinic ID. If the database is not distributed, all Clinics share one lane, whose key is undefined. */
  private readonly lanes = new Map<number | undefined, Lane>();
  private readonly abandonment = new AbortController();

  constructor(
    private readonly em: EntityManager,
    private readonly outcomeWriter: OutcomeWriter,
  ) {}

  /**
   * Resolves when the outcomes have been written; on a distributed database, also when the first attempt has failed.
   * Rejects only if the service stops first.
   */
  write({ messageId, clinicId }: Message, outcomes: readonly SentOutcome[]): Promise<void> {
    const lane = this.laneOf(clinicId);
    const pendingWrite = { messageId, outcomes, completion: Promise.withResolvers<undefined>() };
    this.pendingMessageIds.add(messageId);
    lane.queue.push(pendingWrite);
    lane.draining ??= this.drain(lane);
    return pendingWrite.completion.promise;
  }

  /** Whether a message has been sent but its reminders are not yet marked as SENT. */
  isPending(messageId: string): boolean {
    return this.pendingMessageIds.has(messageId);
  }

  /**
   * Resolves immediately while writes succeed; otherwise, once a write succeeds again or `stopWaiting` is called.
   *
   * @throws RetryLaterError on a distributed database instead of waiting, because other Clinics need the place
   */
  async waitUntilHealthy(ofClinic: number): Promise<void> {
    const { clinicId, recovery } = this.laneOf(ofClinic);
    if (recovery !== undefined && clinicId !== undefined) throw new RetryLaterError(RETRY_AFTER_SECONDS);
    await recovery?.promise;
  }

  /** Resolves all pending `waitUntilHealthy` calls, for example at shutdown. Failed writes are still retried. */
  stopWaiting(): void {
    for (const { recovery } of this.lanes.values()) recovery?.resolve(undefined);
  }

  /** Stops retrying failed writes. Another instance may send their messages again. */
  abandon(): void {
    this.abandonment.abort();
  }

  private laneOf(ofClinic: number): Lane {
    const clinicId = Distribution.of(this.em.config).isDistributed ? ofClinic : undefined;
    const lane = this.lanes.get(clinicId) ?? { clinicId, queue: [], draining: undefined, recovery: undefined };
    this.lanes.set(clinicId, lane);
    return lane;
  }

  private async drain(lane: Lane): Promise<void> {
    while (lane.queue.length > 0) {
      const batch = lane.queue.splice(0);
      try {
        await retryWhileDatabaseFails(
          () => this.writeBatch(lane, batch),
          this.abandonment.signal,
          (error) => this.reportFailure(lane, batch, error),
          // No error is final, because the messages have already been sent.
          () => false,
        );
        lane.recovery?.resolve(undefined);
        lane.recovery = undefined;
        for (const { completion } of batch) completion.resolve(undefined);
      } catch (error) {
        for (const { completion } of batch) completion.reject(error);
      } finally {
        for (const { messageId } of batch) this.pendingMessageIds.delete(messageId);
      }
    }
    // In the same microtask as the check of the queue: a write that was added in between would never be executed.
    this.lanes.delete(lane.clinicId);
  }

  private writeBatch({ clinicId }: Lane, batch: readonly PendingWrite[]): Promise<void> {
    const sent = batch.flatMap(({ outcomes }) => outcomes);
    return forkForActor(this.em, { role: 'REMINDERS', clinicId }).transactional(() =>
      this.outcomeWriter.writeSent(sent),
    );
  }

  private reportFailure(lane: Lane, batch: readonly PendingWrite[], error: { name: string; code: unknown }): void {
    lane.recovery ??= Promise.withResolvers<undefined>();
    const waiting = [...batch, ...lane.queue];
    if (lane.clinicId !== undefined) for (const { completion } of waiting) completion.resolve(undefined);
    const messages = waiting.length;
    this.logger.error(
      { event: 'reminder.unwritten', error: error.name, code: error.code, messages },
      'messages were sent, but their reminders cannot be marked as SENT; the write is repeated',
    );
  }
}
