import { EntityManager } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import { forkForActor } from '../../shared/persistence/index.js';
import { retryWhileDatabaseFails } from './database-retry.js';
import type { SentOutcome } from './delivery-outcome.js';
import { OutcomeWriter } from './outcome-writer.js';

type PendingWrite = { outcomes: readonly SentOutcome[]; completion: PromiseWithResolvers<undefined> };

/**
 * Marks reminders as SENT, and retries a failed write until it succeeds: the message has already been sent, and without
 * the write it would be sent again. The number of pending writes is limited, because a message occupies its place in
 * the channel until its outcome is written.
 */
@Injectable()
export class SentOutcomeWriter {
  private readonly logger = new Logger(SentOutcomeWriter.name);
  private readonly pendingByMessageId = new Map<string, PendingWrite>();
  private readonly queue: PendingWrite[] = [];
  private draining: Promise<void> | undefined;
  /** Defined while writes fail; resolves when a write succeeds again. */
  private recovery: PromiseWithResolvers<undefined> | undefined;
  private readonly abandonment = new AbortController();

  constructor(
    private readonly em: EntityManager,
    private readonly outcomeWriter: OutcomeWriter,
  ) {}

  /** Resolves when the outcomes have been written. Rejects only if the service stops first. */
  write(messageId: string, outcomes: readonly SentOutcome[]): Promise<void> {
    const pendingWrite = { outcomes, completion: Promise.withResolvers<undefined>() };
    this.pendingByMessageId.set(messageId, pendingWrite);
    this.queue.push(pendingWrite);
    this.draining ??= this.drain().finally(() => (this.draining = undefined));
    return pendingWrite.completion.promise.finally(() => this.pendingByMessageId.delete(messageId));
  }

  /** Whether a message has been sent but its reminders are not yet marked as SENT. */
  isPending(messageId: string): boolean {
    return this.pendingByMessageId.has(messageId);
  }

  /** Resolves immediately while writes succeed; otherwise, once a write succeeds again or `stopWaiting` is called. */
  waitUntilHealthy(): Promise<void> {
    return this.recovery?.promise ?? Promise.resolve(undefined);
  }

  /** Resolves all pending `waitUntilHealthy` calls, for example at shutdown. Failed writes are still retried. */
  stopWaiting(): void {
    this.recovery?.resolve(undefined);
  }

  /** Stops retrying failed writes. Another instance may send their messages again. */
  abandon(): void {
    this.abandonment.abort();
  }

  private async drain(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0);
      try {
        await retryWhileDatabaseFails(
          () => this.writeBatch(batch),
          this.abandonment.signal,
          (error) => this.reportFailure(batch, error),
          // No error is final, because the messages have already been sent.
          () => false,
        );
        this.stopWaiting();
        this.recovery = undefined;
        for (const { completion } of batch) completion.resolve(undefined);
      } catch (error) {
        for (const { completion } of batch) completion.reject(error);
      }
    }
  }

  private writeBatch(batch: readonly PendingWrite[]): Promise<void> {
    const sent = batch.flatMap(({ outcomes }) => outcomes);
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(() => this.outcomeWriter.writeSent(sent));
  }

  private reportFailure(batch: readonly PendingWrite[], error: { name: string; code: unknown }): void {
    this.recovery ??= Promise.withResolvers<undefined>();
    const messages = batch.length + this.queue.length;
    this.logger.error(
      { event: 'reminder.unwritten', error: error.name, code: error.code, messages },
      'messages were sent, but their reminders cannot be marked as SENT; the write is repeated',
    );
  }
}
