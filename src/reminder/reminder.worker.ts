import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import DataLoader from 'dataloader';
import { sql } from 'kysely';
import pLimit, { type LimitFunction } from 'p-limit';
import type { JobWithMetadata } from 'pg-boss';
import { Environment } from '../shared/env.js';
import { actingAs, AS_IT_IS } from '../shared/persistence/index.js';
import { Clock } from '../shared/time/index.js';
import { NotNowError, UndeliverableError, type ReminderMessage } from './channel/channel.js';
import { Channels } from './channel/channels.js';
import { MessageWriter } from './message-writer.js';
import { Recipients, type Addressee } from './recipients.js';
import { ReminderLedger, type Outcome, type Sent } from './reminder-ledger.js';
import { deferred } from './reminder.dispatcher.js';
import { Reminder } from './reminder.entity.js';
import type { FailedJob, ReminderJob } from './reminder.queue.js';
import { decideAll, keyOf, type Decisions } from './sending-decisions.js';

/** A message that is to go out now, or nothing where all that it was about has been settled or withdrawn. */
type Prepared = {
  reminders: Reminder[];
  message: ReminderMessage;
  channels: readonly string[];
  at: number;
  /** When each of the reminders, by its id, was to be sent. */
  expectedAt: ReadonlyMap<number, Temporal.Instant>;
};

/** What one job has come to, where its message has not been sent. */
type Unsent = { failed?: [FailedJob]; outcomes?: Outcome[] };

/** After this long, a message is written anew before it goes out: wishes and times may have changed. */
const FRESH_MS = 1_000;

/**
 * Delivers messages that the queue hands out, and writes the outcome back to the reminders. Delivery is at
 * least once: a process that dies between the channel and the rows delivers again, with the same message id.
 */
@Injectable()
export class ReminderWorker {
  private readonly logger = new Logger(ReminderWorker.name);
  /** By channel: who waits for it waits here, where a message can still be taken back. */
  private readonly lanes = new Map<string, LimitFunction>();
  /** Those whose turn comes at the same moment are asked for together. */
  private readonly queued = new DataLoader((ids: readonly string[]) => this.countQueued(ids), { cache: false });
  private readonly anew = new DataLoader(
    async (ids: readonly string[]) => {
      const prepared = await this.prepare(ids);
      return ids.map((id) => prepared.get(id));
    },
    { cache: false },
  );
  /** What has left is written down at once, however long others of its batch take. */
  private readonly sent = new DataLoader((all: readonly Sent[][]) => this.writeSent(all), { cache: false });
  private isStopping = false;

  constructor(
    private readonly em: EntityManager,
    private readonly channels: Channels,
    private readonly recipients: Recipients,
    private readonly writer: MessageWriter,
    private readonly ledger: ReminderLedger,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /** Delivers a batch, and answers with those that have failed; one that fails does not hold up another. */
  async deliver(jobs: readonly JobWithMetadata<ReminderJob>[]): Promise<FailedJob[]> {
    const prepared = await this.prepare(jobs.map(({ data }) => data.messageId));
    const all = await Promise.allSettled(jobs.map((job) => this.deliverOne(job, prepared.get(job.data.messageId))));
    const unsent = all.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    // Not before the whole batch is done: a row that waits again may get a job again, and this one is still there.
    await this.writeOutcomes(unsent.flatMap(({ outcomes = [] }) => outcomes));
    for (const one of all) if (one.status === 'rejected') throw one.reason;
    return unsent.flatMap(({ failed = [] }) => failed);
  }

  /** Marks reminders whose message has used up its attempts. */
  bury(jobs: readonly ReminderJob[]): Promise<void> {
    return actingAs(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      const messageId = { $in: jobs.map((job) => job.messageId) };
      const reminders = await em.find(Reminder, { messageId, status: 'QUEUED' }, { fields: ['id'] });
      await this.ledger.write(
        'QUEUED',
        reminders.map(({ id }) => dead(id, 'ATTEMPTS_EXHAUSTED')),
        this.clock.now(),
      );
    });
  }

  /** By the first of the recipient's channels that can reach them. */
  private async deliverOne(job: JobWithMetadata<ReminderJob>, prepared: Prepared | undefined): Promise<Unsent> {
    let current = prepared;
    for (const name of prepared?.channels ?? []) {
      let written: PromiseSettledResult<unknown> | undefined;
      try {
        written = await this.lane(name)(async () => {
          if (this.isStopping) throw new NotNowError(0);
          current = current && (await this.stillWanted(current));
          return current && this.deliverBy(name, current);
        });
      } catch (error) {
        if (error instanceof UndeliverableError) continue;
        return this.failureOf(job, current!, error);
      }
      // It has left: that its rows do not say so is no failure of its channel.
      if (written?.status === 'rejected') throw written.reason;
      // Sent; or settled already, by an earlier attempt whose completion did not reach the queue; or withdrawn.
      return {};
    }
    if (current === undefined) return {};
    return this.failureOf(job, current, new UndeliverableError('No channel can reach the recipient'));
  }

  /** Its place in the lane is free once that is written: no more than have one can have left unwritten when the process dies. */
  private async deliverBy(
    name: string,
    { message, reminders, expectedAt }: Prepared,
  ): Promise<PromiseSettledResult<unknown>> {
    const { messageId, late } = message;
    const receipt = await this.channels.get(name)!.deliver(message);
    const story = { what: 'SENT' as const, channel: name, late, ...receipt };
    const sent = reminders.map(({ id }) => ({ id, messageId, expectedAt: expectedAt.get(id)!, story }));
    const [written] = await Promise.allSettled([this.sent.load(sent)]);
    return written;
  }

  private async writeOutcomes(outcomes: readonly Outcome[]): Promise<void> {
    if (outcomes.length === 0) return;
    const em = actingAs(this.em, { role: 'REMINDERS' });
    await em.transactional(() => this.ledger.write('QUEUED', outcomes, this.clock.now()));
  }

  private writeSent(all: readonly Sent[][]): Promise<readonly Sent[][]> {
    return actingAs(this.em, { role: 'REMINDERS' }).transactional(async () => {
      await this.ledger.writeSent(all.flat(), this.clock.now());
      return all;
    });
  }

  /** Whoever still waits for a channel is left to another instance; what is on its way is finished. */
  stop(): void {
    this.isStopping = true;
  }

  private lane(name: string): LimitFunction {
    const lane = this.lanes.get(name) ?? pLimit(this.channels.get(name)!.concurrency);
    this.lanes.set(name, lane);
    return lane;
  }

  private failureOf(job: JobWithMetadata<ReminderJob>, { reminders }: Prepared, error: unknown): Unsent {
    const errorClass = error instanceof Error ? error.name : typeof error;
    const attempt = job.retryCount + 1;
    if (error instanceof NotNowError) {
      const until = this.clock.now().add({ seconds: error.seconds });
      // The row waits, not the job: no attempt is used up.
      return { outcomes: reminders.map(({ id }) => deferred(id, until, 'CHANNEL_BUSY')) };
    }
    this.logger.warn(
      { event: 'reminder.failed', messageId: job.data.messageId, attempt, errorClass },
      'reminder not delivered',
    );
    if (error instanceof UndeliverableError) {
      return { outcomes: reminders.map(({ id }) => dead(id, 'UNDELIVERABLE')) };
    }
    const story = { what: 'FAILED' as const, attempt, errorClass };
    const outcomes = reminders.map(({ id }): Outcome => ({ id, status: 'QUEUED', story }));
    return { failed: [{ id: job.id, retryCount: job.retryCount, errorClass }], outcomes };
  }

  /** As late as can be: what has been withdrawn since the batch was prepared is not sent. */
  private async stillWanted(prepared: Prepared): Promise<Prepared | undefined> {
    const { message, reminders, at } = prepared;
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
    return actingAs(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      const { rows } = await sql<{ message_id: string; queued: number }>`
        select message_id, count(*)::int as queued from reminder
        where message_id = any(${[...messageIds]}::uuid[]) and status = 'QUEUED'
        group by message_id`.execute((em as SqlEntityManager).getKysely());
      const counts = new Map(rows.map((row) => [row.message_id, row.queued]));
      return messageIds.map((messageId) => counts.get(messageId) ?? 0);
    });
  }

  /** The messages as they are to go out now, by their ids. */
  private prepare(messageIds: readonly string[]): Promise<Map<string, Prepared>> {
    return actingAs(this.em, { role: 'REMINDERS' }).transactional(async (em) => {
      const now = this.clock.now();
      const where = { messageId: { $in: [...messageIds] }, status: 'QUEUED' } as const;
      // The ledger writes what becomes of them.
      const asTheyAre = { orderBy: { dueAt: 'asc', id: 'asc' }, ...AS_IT_IS } as const;
      const reminders = await em.find(Reminder, where, asTheyAre);
      const addressees = await this.recipients.find(
        reminders.map(({ recipientKind: kind, recipientId: id }) => ({ kind, id })),
      );
      const decisions = decideAll(reminders, addressees, this.environment.reminderMaxLateness, now);
      await this.ledger.write('QUEUED', decisions.outcomes, now);
      return this.compose(decisions, addressees, now);
    });
  }

  private async compose(
    { toSend, late, expectedAt }: Decisions,
    addressees: ReadonlyMap<string, Addressee>,
    now: Temporal.Instant,
  ): Promise<Map<string, Prepared>> {
    const byMessage = Map.groupBy(toSend, (reminder) => reminder.messageId!);
    const at = performance.now();
    const messages = await this.writer.write(byMessage, late, addressees, now);
    const prepared = messages.map((message): [string, Prepared] => {
      const own = byMessage.get(message.messageId)!;
      return [
        message.messageId,
        { message, reminders: own, channels: addressees.get(keyOf(own[0]!))!.preference.channels, at, expectedAt },
      ];
    });
    return new Map(prepared);
  }
}

function dead(id: number, reason: string): Outcome {
  return { id, status: 'DEAD', reason, story: { what: 'DEAD', reason } };
}
