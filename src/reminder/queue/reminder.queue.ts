import { MikroORM, type EntityManager } from '@mikro-orm/core';
import type { PgliteConnection } from '@mikro-orm/pglite';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { fromKysely, fromPglite, PgBoss, systemClock, type ConstructorOptions, type JobWithMetadata } from 'pg-boss';
import { Environment, type DatabaseEnvironment } from '../../shared/config/env.js';
import { findErrorCode, getErrorClassName } from '../../shared/errors/index.js';
import type { ConnectionPool } from '../../shared/metrics/index.js';
import {
  withFaultDetection,
  DatabaseDamage,
  findTransactionClinicId,
  TCP_KEEP_ALIVE,
  MultiHostClient,
  PendingMigrationsError,
  withHalfOpenDetection,
  withConnectionOptions,
  getLoginRole,
  withLoginRole,
} from '../../shared/persistence/index.js';
import { Clock, CorrectedClock } from '../../shared/time/index.js';
import { Tracing } from '../../shared/tracing/index.js';
import { ChannelRegistry } from '../channel/channel-registry.js';
import { leaveOutEarlierJobs } from './earlier-jobs.js';
import { QueueErrorLog } from './queue-error-log.js';
import { ALL_QUEUE_NAMES, DEAD_LETTER_QUEUE_NAME, getQueueName, REMINDER_QUEUE_NAMES } from './queue-names.js';
import { DELETION_INTERVAL_SECONDS, readQueueSettings, type QueueSettings } from './queue-settings.js';

/** A job that delivers one message, made up of the reminders with this message ID. */
export type ReminderJob = {
  messageId: string;
  /**
   * The Clinic of the reminders on a distributed database. Otherwise absent, because a batch then has messages of
   * several Clinics.
   */
  clinicId?: number;
  /** The traces in which the reminders were planned and dispatched; absent if none was recorded. */
  traceparents?: readonly string[];
};

/** A message for which a job is inserted. */
export type MessageToQueue = {
  messageId: string;
  /** The channel that is tried first; undefined if no channel can reach the recipient. */
  channel: string | undefined;
  /** The traces in which the reminders of the message were planned. */
  traceparents?: ReadonlySet<string>;
};

/** Maximum number of planning traces to which the delivery of one message is linked. */
const MAX_PLANNING_TRACES = 6;

/**
 * Number of workers for each configured channel. A worker fetches its next batch only when its current one is done, so
 * a single worker would be held up by slow messages.
 */
const CONCURRENT_BATCHES = 4;
/** How often the queues are read that usually have no jobs: those of other channels, and of dead letters. */
const SPARE_POLLING_SECONDS = 5;
/**
 * Number of jobs per batch. A larger batch needs fewer statements per message, but leaves fewer jobs for other
 * instances.
 */
const BATCH_SIZE = 100;
const DEAD_LETTER_BATCH_SIZE = 100;
/**
 * The queue must not give a job to another instance while its batch is running, and a batch runs until its outcomes can
 * be written. The heartbeat detects crashed processes much earlier. pg-boss requires less than 24 hours.
 */
const JOB_EXPIRATION_SECONDS = 23 * 3_600;
const POOL_SIZE = 4;
/**
 * After this time, unfinished jobs return to the queue. The process must exit within 10 seconds
 * (`src/ops/process/graceful-shutdown.ts`).
 */
const DRAIN_TIMEOUT_MS = 7_000;

/** The message queue. pg-boss provides distribution to several instances, retries, heartbeats and dead letters. */
@Injectable()
export class ReminderQueue {
  private readonly logger = new Logger(ReminderQueue.name);
  private boss: PgBoss | undefined;
  /** IDs of the workers that fetch messages, one for each queue; undefined while this instance fetches none. */
  private workerIds: readonly string[] | undefined;
  private readonly settings: QueueSettings;

  constructor(
    private readonly orm: MikroORM,
    private readonly environment: Environment,
    private readonly damage: DatabaseDamage,
    private readonly tracing: Tracing,
    private readonly channels: ChannelRegistry,
    private readonly clock: Clock,
  ) {
    this.settings = readQueueSettings(environment);
  }

  get isRunning(): boolean {
    return this.boss !== undefined;
  }

  /** Whether this instance fetches jobs, which it does from `work` until `pause`. */
  get isWorking(): boolean {
    return this.boss !== undefined && this.workerIds !== undefined;
  }

  /** Stops fetching jobs until `work` is called again. Jobs that have already been fetched are finished. */
  async pause(): Promise<void> {
    this.workerIds = undefined;
    for (const name of REMINDER_QUEUE_NAMES) await this.boss?.offWork(name, { wait: false });
  }

  /** The connection pool; undefined on the embedded database, which has a single connection. */
  get pool(): ConnectionPool | undefined {
    return (this.boss?.getDb() as { pool?: ConnectionPool } | undefined)?.pool;
  }

  /**
   * Connects to the database. Fetches no jobs until `work` is called.
   *
   * @throws PendingMigrationsError if a queue is missing, because `installQueueSchema` has not run since its channel was
   * added
   */
  async start(): Promise<void> {
    const { database } = this.environment;
    const restricted = database.kind === 'postgresql' ? { ...database, url: findQueueUrl(database) } : database;
    const boss = new PgBoss({
      ...(await createQueueConnectionOptions(this.orm.em, restricted)),
      // pg-boss passes these options to its connection pool. `min` keeps idle connections open.
      ...{
        Client: withHalfOpenDetection(withFaultDetection(MultiHostClient, this.damage) as never),
        ...TCP_KEEP_ALIVE,
        min: POOL_SIZE,
      },
      superviseIntervalSeconds: this.settings.supervisionSeconds,
      monitorIntervalSeconds: this.settings.supervisionSeconds,
      maintenanceIntervalSeconds: DELETION_INTERVAL_SECONDS,
      migrate: false,
      createSchema: false,
      schedule: false,
      clock: toQueueClock(this.clock),
    });
    const errors = new QueueErrorLog(this.logger);
    boss.on('error', (error) => errors.log(error));
    await boss.start();
    await requireQueues(boss);
    this.boss = boss;
  }

  /** Inserts one job per message in the caller's transaction, so a rollback also removes the jobs. */
  async insert(em: EntityManager, messages: readonly MessageToQueue[]): Promise<void> {
    const db = fromKysely((em as SqlEntityManager).getKysely());
    const clinicId = findTransactionClinicId(em);
    for (const [name, ofQueue] of Map.groupBy(messages, ({ channel }) => getQueueName(channel))) {
      const jobs = ofQueue.map(({ messageId, traceparents }) => {
        const data = {
          messageId,
          ...(clinicId !== undefined && { clinicId }),
          ...this.toTraces(traceparents),
        } satisfies ReminderJob;
        return { data, expireInSeconds: JOB_EXPIRATION_SECONDS, heartbeatSeconds: this.settings.heartbeatSeconds };
      });
      await this.startedBoss.insert(name, jobs, { db });
    }
  }

  /**
   * Returns the traces to which the span of the job is linked. They are stored with the job, because another instance
   * may process it.
   */
  private toTraces(planned: ReadonlySet<string> | undefined): Pick<ReminderJob, 'traceparents'> {
    if (!this.tracing.isOn) return {};
    const current = this.tracing.traceparent;
    const own = [...(planned ?? [])].slice(0, MAX_PLANNING_TRACES);
    const traceparents = current === undefined ? own : [...own, current];
    return traceparents.length === 0 ? {} : { traceparents };
  }

  /** Finds the messages that have a waiting or active job. */
  async findMessageIdsWithLiveJob(em: EntityManager, messageIds: readonly string[]): Promise<Set<string>> {
    const { rows } = await sql<{ id: string }>`
      select data->>'messageId' as id from pgboss.job
      where name in (${sql.join(ALL_QUEUE_NAMES)}) and state in ('created', 'retry', 'active')
        and data->>'messageId' = any(${[...messageIds]}::text[])`.execute((em as SqlEntityManager).getKysely());
    return new Set(rows.map(({ id }) => id));
  }

  /** Starts fetching jobs. A refused message does not fail its job; its reminders wait in their rows. */
  async work(handler: (jobs: readonly JobWithMetadata<ReminderJob>[]) => Promise<void>): Promise<void> {
    const configured = new Set(this.channels.configuredNames.map(getQueueName));
    const workers = REMINDER_QUEUE_NAMES.map((name) => {
      const isConfigured = configured.has(name);
      const options = {
        batchSize: BATCH_SIZE,
        localConcurrency: isConfigured ? CONCURRENT_BATCHES : 1,
        pollingIntervalSeconds: isConfigured ? this.settings.pollingSeconds : SPARE_POLLING_SECONDS,
        burstWhenBatchFull: true,
        includeMetadata: true,
      } as const;
      return this.startedBoss.work<ReminderJob, unknown, typeof options>(name, options, (jobs) =>
        this.withoutErrorMessage(() => handler(leaveOutEarlierJobs(this.orm, jobs))),
      );
    });
    this.workerIds = await Promise.all(workers);
  }

  /** Makes this instance's workers fetch jobs immediately instead of at the next poll. */
  fetchNow(): void {
    for (const id of this.workerIds ?? []) this.boss?.notifyWorker(id);
  }

  /** Starts fetching jobs that have used up their retries. */
  async workDeadLetters(handler: (jobs: readonly ReminderJob[]) => Promise<void>): Promise<void> {
    await this.startedBoss.work<ReminderJob>(
      DEAD_LETTER_QUEUE_NAME,
      { batchSize: DEAD_LETTER_BATCH_SIZE, pollingIntervalSeconds: SPARE_POLLING_SECONDS },
      (jobs) => this.withoutErrorMessage(() => handler(leaveOutEarlierJobs(this.orm, jobs).map((job) => job.data))),
    );
  }

  /** Rethrows errors without message and cause: pg-boss stores both, and database errors can contain row values. */
  private async withoutErrorMessage<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      const name = getErrorClassName(error);
      this.logger.error({ error: name, code: findErrorCode(error) }, 'a batch failed');
      // eslint-disable-next-line preserve-caught-error -- the cause can contain values from rows
      throw new Error(name);
    }
  }

  /** Stops fetching jobs, and waits up to `DRAIN_TIMEOUT_MS` for those that have already been fetched. */
  async stop(): Promise<void> {
    const boss = this.boss;
    this.boss = undefined;
    await boss?.stop({ graceful: true, timeout: DRAIN_TIMEOUT_MS });
  }

  private get startedBoss(): PgBoss {
    if (this.boss === undefined) throw new Error('The queue has not been started');
    return this.boss;
  }
}

async function requireQueues(boss: PgBoss): Promise<void> {
  const queues = await boss.getQueues([...ALL_QUEUE_NAMES]);
  if (queues.length === ALL_QUEUE_NAMES.length) return;
  await boss.stop({ graceful: false });
  throw new PendingMigrationsError(1);
}

/** Returns the database URL of the queue, with the login of the part of the service that delivers reminders. */
function findQueueUrl(database: DatabaseEnvironment & { kind: 'postgresql' }): string {
  const url = database.queueUrl ?? database.logins?.reminders ?? database.url;
  return withLoginRole(url, getLoginRole(database, 'reminders'));
}

/**
 * The planner's statistics for the job table are always outdated: the table may have been empty a moment ago and now
 * hold 100,000 jobs. Without these options, PostgreSQL reads the whole table for each batch, although every queue
 * statement has an index. `jit` is off because the options make the remaining sequential scans look so expensive that
 * PostgreSQL would compile them.
 */
const PLANNER_OPTIONS = '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off';

/** The queue uses the service's database. On the embedded database, it shares the only connection. */
export async function createQueueConnectionOptions(
  em: EntityManager,
  database: DatabaseEnvironment,
): Promise<ConstructorOptions> {
  if (database.kind === 'postgresql') {
    const connectionString = withConnectionOptions(database.url, PLANNER_OPTIONS);
    const client = { Client: MultiHostClient, connectionString };
    return { ...client, max: POOL_SIZE, application_name: 'reminder-queue' };
  }
  const connection = em.getDriver().getConnection() as unknown as PgliteConnection;
  return { db: fromPglite(await connection.getNativeClient()), backend: 'pglite' };
}

/** In tests and simulations, the queue uses the system clock, because their own clocks stand still. */
function toQueueClock(clock: Clock): typeof systemClock {
  return clock instanceof CorrectedClock ? { ...systemClock, now: () => clock.now().epochMilliseconds } : systemClock;
}
