import { EntityManager } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import type { JobResult, JobWithMetadata } from 'pg-boss';
import { Environment } from '../shared/env.js';
import { Clock } from '../shared/time/index.js';
import { NotNowError, UndeliverableError, type Receipt, type ReminderMessage } from './channel/channel.js';
import { Channels } from './channel/channels.js';
import { MessageWriter } from './message-writer.js';
import { Recipients, type Addressee } from './recipients.js';
import { ReminderLedger, type Outcome } from './reminder-ledger.js';
import { deferred, skipped } from './reminder.dispatcher.js';
import { Reminder } from './reminder.entity.js';
import type { ReminderJob } from './reminder.queue.js';
import { sendingOf } from './sending.js';

/** A message that is to go out now, or nothing where all that it was about has been settled or withdrawn. */
type Prepared = { reminders: Reminder[]; message: ReminderMessage; channels: readonly string[] };

/** After this long, a message is looked at once more before it goes out: its Session may have been cancelled. */
const FRESH_MS = 200;

/**
 * Delivers messages that the queue hands out, and writes the outcome back to the reminders. Delivery is at
 * least once: a process that dies between the channel and the rows delivers again, with the same message id.
 */
@Injectable()
export class ReminderWorker {
  private readonly logger = new Logger(ReminderWorker.name);

  constructor(
    private readonly em: EntityManager,
    private readonly channels: Channels,
    private readonly recipients: Recipients,
    private readonly writer: MessageWriter,
    private readonly ledger: ReminderLedger,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /** Delivers a batch; one that fails does not hold up another. */
  async deliver(jobs: readonly JobWithMetadata<ReminderJob>[]): Promise<JobResult[]> {
    const prepared = await this.prepare(jobs.map(({ data }) => data.messageId));
    const preparedAt = performance.now();
    const results = await Promise.all(
      jobs.map((job) => this.deliverOne(job, prepared.get(job.data.messageId), preparedAt)),
    );
    await this.em.transactional(() =>
      this.ledger.write(
        'QUEUED',
        results.flatMap(({ outcomes }) => outcomes),
        this.clock.now(),
      ),
    );
    return results.map(({ result }) => result);
  }

  /** Marks reminders whose message has used up its attempts. */
  bury(jobs: readonly ReminderJob[]): Promise<void> {
    return this.em.transactional(async (em) => {
      const messageId = { $in: jobs.map((job) => job.messageId) };
      const reminders = await em.find(Reminder, { messageId, status: 'QUEUED' }, { fields: ['id'] });
      await this.ledger.write(
        'QUEUED',
        reminders.map(({ id }) => dead(id, 'ATTEMPTS_EXHAUSTED')),
        this.clock.now(),
      );
    });
  }

  private async deliverOne(job: JobWithMetadata<ReminderJob>, prepared: Prepared | undefined, preparedAt: number) {
    const done = { id: job.id, status: 'completed' } as const;
    // Settled already, by an earlier attempt whose completion did not reach the queue; or withdrawn.
    const current = prepared && (await this.stillWanted(job.data.messageId, prepared, preparedAt));
    if (current === undefined) return { result: done, outcomes: [] };
    const ids = current.reminders.map(({ id }) => id);
    try {
      const { name, receipt } = await this.send(current);
      const story = { what: 'SENT' as const, channel: name, late: current.message.late, ...receipt };
      return { result: done, outcomes: ids.map((id): Outcome => ({ id, status: 'SENT', story })) };
    } catch (error) {
      return this.failureOf(job, ids, error);
    }
  }

  /** By the first of the recipient's channels that can reach them. */
  private async send({ message, channels }: Prepared): Promise<{ name: string; receipt: Receipt }> {
    for (const name of channels) {
      try {
        return { name, receipt: await this.channels.get(name)!.deliver(message) };
      } catch (error) {
        if (!(error instanceof UndeliverableError)) throw error;
      }
    }
    throw new UndeliverableError('No channel can reach the recipient');
  }

  private failureOf(job: JobWithMetadata<ReminderJob>, ids: readonly number[], error: unknown) {
    const errorClass = error instanceof Error ? error.name : typeof error;
    const attempt = job.retryCount + 1;
    if (error instanceof NotNowError) {
      const until = this.clock.now().add({ seconds: error.seconds });
      // The row waits, not the job: no attempt is used up.
      return {
        result: { id: job.id, status: 'completed' } as const,
        outcomes: ids.map((id) => deferred(id, until, 'CHANNEL_BUSY')),
      };
    }
    this.logger.warn(
      { event: 'reminder.failed', messageId: job.data.messageId, attempt, errorClass },
      'reminder not delivered',
    );
    if (error instanceof UndeliverableError) {
      const result = { id: job.id, status: 'completed' } as const;
      return { result, outcomes: ids.map((id) => dead(id, 'UNDELIVERABLE')) };
    }
    const outcomes = ids.map((id): Outcome => ({
      id,
      status: 'QUEUED',
      story: { what: 'FAILED', attempt, errorClass },
    }));
    return { result: { id: job.id, status: 'failed', output: { errorClass } } as const, outcomes };
  }

  /** What has been withdrawn since the batch was prepared is not sent. */
  private async stillWanted(messageId: string, prepared: Prepared, preparedAt: number): Promise<Prepared | undefined> {
    if (performance.now() - preparedAt < FRESH_MS) return prepared;
    return (await this.prepare([messageId])).get(messageId);
  }

  /** The messages as they are to go out now, by their ids. */
  private prepare(messageIds: readonly string[]): Promise<Map<string, Prepared>> {
    return this.em.transactional(async (em) => {
      const now = this.clock.now();
      const where = { messageId: { $in: [...messageIds] }, status: 'QUEUED' } as const;
      const reminders = await em.find(Reminder, where, { orderBy: { dueAt: 'asc', id: 'asc' } });
      const addressees = await this.recipients.find(
        reminders.map(({ recipientKind: kind, recipientId: id }) => ({ kind, id })),
      );
      const { toSend, late, outcomes } = this.decide(reminders, addressees, now);
      await this.ledger.write('QUEUED', outcomes, now);
      return this.compose(toSend, late, addressees, now);
    });
  }

  private decide(reminders: readonly Reminder[], addressees: ReadonlyMap<string, Addressee>, now: Temporal.Instant) {
    const [toSend, late, outcomes]: [Reminder[], Set<string>, Outcome[]] = [[], new Set(), []];
    for (const reminder of reminders) {
      const preference = addressees.get(keyOf(reminder))?.preference;
      const sending = preference && sendingOf(reminder, preference, this.environment.reminderMaxLateness, now);
      if (sending === undefined) outcomes.push(skipped(reminder.id, 'RECIPIENT_GONE'));
      else if (sending.what === 'SKIP') outcomes.push(skipped(reminder.id, sending.reason));
      else if (sending.what === 'DEFER') outcomes.push(deferred(reminder.id, sending.until, sending.reason));
      else toSend.push(reminder);
      if (sending?.what === 'SEND' && sending.late) late.add(reminder.messageId!);
    }
    return { toSend, late, outcomes };
  }

  private async compose(
    reminders: readonly Reminder[],
    late: ReadonlySet<string>,
    addressees: ReadonlyMap<string, Addressee>,
    now: Temporal.Instant,
  ): Promise<Map<string, Prepared>> {
    const byMessage = Map.groupBy(reminders, (reminder) => reminder.messageId!);
    const messages = await this.writer.write(byMessage, late, addressees, now);
    const prepared = messages.map((message): [string, Prepared] => {
      const own = byMessage.get(message.messageId)!;
      return [
        message.messageId,
        { message, reminders: own, channels: addressees.get(keyOf(own[0]!))!.preference.channels },
      ];
    });
    return new Map(prepared);
  }
}

function dead(id: number, reason: string): Outcome {
  return { id, status: 'DEAD', reason, story: { what: 'DEAD', reason } };
}

function keyOf({ recipientKind, recipientId }: Reminder): string {
  return `${recipientKind} ${recipientId}`;
}
