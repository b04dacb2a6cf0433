import { EntityManager } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import { forkForActor } from '../../shared/persistence/index.js';
import { untilDatabaseAnswers } from './database-retry.js';
import { DeliveryOutcomes, type Sent } from './outcome-writer.js';

type Entry = { sent: readonly Sent[]; written: PromiseWithResolvers<undefined> };

/**
 * Marks reminders as SENT. A message that has left cannot be called back, so a write that fails is repeated until it
 * succeeds, and the message is remembered meanwhile. What is remembered is bounded: a channel takes the next message
 * only when one of those before it is written.
 */
@Injectable()
export class SentWriter {
  private readonly logger = new Logger(SentWriter.name);
  private readonly entries = new Map<string, Entry>();
  private readonly unwritten: Entry[] = [];
  private running: Promise<void> | undefined;
  private failing: PromiseWithResolvers<undefined> | undefined;
  private readonly givenUp = new AbortController();

  constructor(
    private readonly em: EntityManager,
    private readonly ledger: DeliveryOutcomes,
  ) {}

  /** Resolves when it is written; rejects only when the service stops before that. */
  write(messageId: string, sent: readonly Sent[]): Promise<void> {
    const entry = { sent, written: Promise.withResolvers<undefined>() };
    this.entries.set(messageId, entry);
    this.unwritten.push(entry);
    this.running ??= this.run().finally(() => (this.running = undefined));
    return entry.written.promise.finally(() => this.entries.delete(messageId));
  }

  /** Whether this message has left, and its rows do not say so yet. */
  has(messageId: string): boolean {
    return this.entries.has(messageId);
  }

  /** Resolves while writes succeed; while they fail, when one succeeds again or the service stops. */
  healthy(): Promise<void> {
    return this.failing?.promise ?? Promise.resolve(undefined);
  }

  /** The service stops: nobody has to wait for health any more, though writes are still tried. */
  release(): void {
    this.failing?.resolve(undefined);
  }

  /** The end: what is not written by now may be sent again by another instance. */
  giveUp(): void {
    this.givenUp.abort();
  }

  private async run(): Promise<void> {
    while (this.unwritten.length > 0) {
      const batch = this.unwritten.splice(0);
      try {
        await untilDatabaseAnswers(
          () => this.attempt(batch),
          this.givenUp.signal,
          (error) => this.report(batch, error),
          // Whatever it is: to give up would be to send it again.
          () => false,
        );
        this.release();
        this.failing = undefined;
        for (const { written } of batch) written.resolve(undefined);
      } catch (error) {
        for (const { written } of batch) written.reject(error);
      }
    }
  }

  private attempt(batch: readonly Entry[]): Promise<void> {
    const sent = batch.flatMap((entry) => entry.sent);
    return forkForActor(this.em, { role: 'REMINDERS' }).transactional(() => this.ledger.writeSent(sent));
  }

  private report(batch: readonly Entry[], error: { name: string; code: unknown }): void {
    this.failing ??= Promise.withResolvers<undefined>();
    const messages = batch.length + this.unwritten.length;
    this.logger.error(
      { event: 'reminder.unwritten', error: error.name, code: error.code, messages },
      'sent, but cannot be marked SENT: the write is tried again',
    );
  }
}
