import { MikroORM, type EntityManager } from '@mikro-orm/core';
import type { PgliteConnection } from '@mikro-orm/pglite';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { fromKysely, fromPglite, PgBoss, systemClock, type ConstructorOptions, type JobWithMetadata } from 'pg-boss';
import { Environment, type DatabaseEnvironment } from '../../shared/config/env.js';
import type { ConnectionPool } from '../../shared/metrics/index.js';
import {
  withFaultDetection,
  DatabaseDamage,
  TCP_KEEP_ALIVE,
  MultiHostClient,
  withHalfOpenDetection,
  withConnectionOptions,
  withServiceRole,
} from '../../shared/persistence/index.js';
import { Clock, CorrectedClock } from '../../shared/time/index.js';
import { queueSettings, type QueueSettings } from './queue-settings.js';

/** One job: one message, of all reminders that carry its id. */
export type ReminderJob = { messageId: string };

export const QUEUE = 'reminder';
export const DEAD_LETTERS = 'reminder-dead';

/** The next batch comes when all of one is done: several at once, so that a slow message does not stop all others. */
const WORKERS = 4;
/** Large enough that its statements cost little a message, small enough to leave something to other instances. */
const BATCH = 100;
const DEAD_BATCH = 100;
/**
 * A batch may take very long, as one does that was sent and cannot be written: the queue must not give its jobs to another
 * instance meanwhile. A process that has died is noticed long before. pg-boss allows less than a day.
 */
const EXPIRE_SECONDS = 23 * 3_600;
const CONNECTIONS = 4;
/** What is not finished by then comes back: the process has to end within 10 s (`src/ops/process/graceful-shutdown.ts`). */
const DRAIN_TIMEOUT_MS = 7_000;

/** Delivery of due reminders: claiming, retries with backoff, dead letters, several instances. All of it is pg-boss. */
@Injectable()
export class ReminderQueue {
  private readonly logger = new Logger(ReminderQueue.name);
  private boss: PgBoss | undefined;
  private workerId: string | undefined;
  private readonly settings: QueueSettings;

  constructor(
    private readonly orm: MikroORM,
    private readonly environment: Environment,
    private readonly damage: DatabaseDamage,
  ) {
    this.settings = queueSettings(environment);
  }

  get isRunning(): boolean {
    return this.boss !== undefined;
  }

  /** Whether batches are taken: not before `work`, and not after `pause`. */
  get isWorking(): boolean {
    return this.boss !== undefined && this.workerId !== undefined;
  }

  /** Takes no further batches until `work` is called again. Those under way are finished. */
  async pause(): Promise<void> {
    this.workerId = undefined;
    await this.boss?.offWork(QUEUE, { wait: false });
  }

  /** Its connections; none on the embedded database, whose one connection it shares. */
  get pool(): ConnectionPool | undefined {
    return (this.boss?.getDb() as { pool?: ConnectionPool } | undefined)?.pool;
  }

  /** Connects; the tables of the queue are those of a migrated database. */
  async start(clock: Clock): Promise<void> {
    const { database } = this.environment;
    const own = database.kind === 'postgresql' ? { ...database, url: withServiceRole(database.url) } : database;
    const boss = new PgBoss({
      ...(await queueConnection(this.orm.em, own)),
      // Handed on to its pool, as all options are. What is open stays open.
      ...{
        Client: withHalfOpenDetection(withFaultDetection(MultiHostClient, this.damage) as never),
        ...TCP_KEEP_ALIVE,
        min: CONNECTIONS,
      },
      superviseIntervalSeconds: this.settings.supervisionSeconds,
      monitorIntervalSeconds: this.settings.supervisionSeconds,
      migrate: false,
      createSchema: false,
      schedule: false,
      clock: queueClock(clock),
    });
    boss.on('error', (error) => this.logger.error({ error: error.name, code: codeOf(error) }, 'queue error'));
    await boss.start();
    this.boss = boss;
  }

  /** Hands messages over within the caller's transaction: a rollback takes the jobs with it. */
  async insert(em: EntityManager, messageIds: readonly string[]): Promise<void> {
    if (messageIds.length === 0) return;
    const jobs = messageIds.map((messageId) => {
      const data = { messageId } satisfies ReminderJob;
      return { data, expireInSeconds: EXPIRE_SECONDS, heartbeatSeconds: this.settings.heartbeatSeconds };
    });
    await this.started.insert(QUEUE, jobs, { db: fromKysely((em as SqlEntityManager).getKysely()) });
  }

  /** Those of the given messages that have a job which is still to be done. */
  async liveMessageIds(em: EntityManager, messageIds: readonly string[]): Promise<Set<string>> {
    const { rows } = await sql<{ id: string }>`
      select data->>'messageId' as id from pgboss.job
      where name in (${QUEUE}, ${DEAD_LETTERS}) and state in ('created', 'retry', 'active')
        and data->>'messageId' = any(${[...messageIds]}::text[])`.execute((em as SqlEntityManager).getKysely());
    return new Set(rows.map(({ id }) => id));
  }

  /** Gives batches of jobs to the handler. A job fails when its process dies: what a channel refuses waits in its row. */
  async work(handler: (jobs: readonly JobWithMetadata<ReminderJob>[]) => Promise<void>): Promise<void> {
    const options = {
      batchSize: BATCH,
      localConcurrency: WORKERS,
      pollingIntervalSeconds: this.settings.pollingSeconds,
      burstWhenBatchFull: true,
      includeMetadata: true,
    } as const;
    this.workerId = await this.started.work<ReminderJob, unknown, typeof options>(QUEUE, options, (jobs) =>
      this.withoutMessage(() => handler(jobs)),
    );
  }

  /** Lets this instance's worker look for jobs now instead of at its next turn. */
  wake(): void {
    if (this.workerId !== undefined) this.boss?.notifyWorker(this.workerId);
  }

  /** Gives dead letters, which have used up their attempts, to the handler. */
  async workDeadLetters(handler: (jobs: readonly ReminderJob[]) => Promise<void>): Promise<void> {
    await this.started.work<ReminderJob>(DEAD_LETTERS, { batchSize: DEAD_BATCH, pollingIntervalSeconds: 5 }, (jobs) =>
      this.withoutMessage(() => handler(jobs.map((job) => job.data))),
    );
  }

  /** The queue keeps what a handler throws, and what a database says in its errors may hold values of its rows. */
  private async withoutMessage<T>(handle: () => Promise<T>): Promise<T> {
    try {
      return await handle();
    } catch (error) {
      const name = error instanceof Error ? error.name : typeof error;
      this.logger.error({ error: name, code: codeOf(error) }, 'a batch failed');
      // eslint-disable-next-line preserve-caught-error -- the cause is what must not be kept
      throw new Error(name);
    }
  }

  /** Finishes the batches at work, takes no more. */
  async stop(): Promise<void> {
    const boss = this.boss;
    this.boss = undefined;
    await boss?.stop({ graceful: true, timeout: DRAIN_TIMEOUT_MS });
  }

  private get started(): PgBoss {
    if (this.boss === undefined) throw new Error('The queue has not been started');
    return this.boss;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * What PostgreSQL believes of a queue's table is always out of date: it was empty then, and has 100,000 jobs now. So it
 * is told that every statement of the queue has an index; reading the whole table for each batch took two thirds of the
 * database's time in a drain. Where there is none, the statement seems so dear that it would be compiled.
 */
const PLANNER = '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off';

/** The queue is in the database of the service; the embedded one is a single connection. */
export async function queueConnection(em: EntityManager, database: DatabaseEnvironment): Promise<ConstructorOptions> {
  if (database.kind === 'postgresql') {
    const connectionString = withConnectionOptions(database.url, PLANNER);
    const client = { Client: MultiHostClient, connectionString };
    return { ...client, max: CONNECTIONS, application_name: 'reminder-queue' };
  }
  const connection = em.getDriver().getConnection() as unknown as PgliteConnection;
  return { db: fromPglite(await connection.getNativeClient()), backend: 'pglite' };
}

/** Clocks of tests and simulations stand still, which the timers of the queue must not. */
function queueClock(clock: Clock): typeof systemClock {
  return clock instanceof CorrectedClock ? { ...systemClock, now: () => clock.now().epochMilliseconds } : systemClock;
}

export async function createQueues(boss: PgBoss): Promise<void> {
  await boss.createQueue(DEAD_LETTERS);
  await boss.createQueue(QUEUE, {
    deadLetter: DEAD_LETTERS,
    heartbeatSeconds: 15,
    retryLimit: 8,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 3_600,
    deleteAfterSeconds: 3_600,
  });
}
