import { MikroORM, type EntityManager, type Options } from '@mikro-orm/core';
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { LogPosition } from './log-position.js';
import { ReplicaProgress } from './replica-progress.js';
import {
  PRIMARY_OBSERVATION_STATEMENT,
  PRIMARY_POSITION_STATEMENT,
  REPLICA_OBSERVATION_STATEMENT,
  UnusableReplicaError,
  toReplicaLogPosition,
  type Identified,
  type PrimaryPositionRow,
  type ReplicaFault,
  type ReplicaStateRow,
} from './replica-server.js';

/** Timeout for a query of a server's state, in milliseconds. */
const OBSERVATION_TIMEOUT_MS = 1_000;

/** The ORM options of the replica, and the maximum age of its data in milliseconds. */
export type ReplicaOptions = { orm: Partial<Options>; maxAgeMs: number };

/** The replica of the database (`DATABASE_REPLICA_URL`), if there is one. */
export class ReplicaDatabase implements OnApplicationShutdown {
  private readonly logger = new Logger(ReplicaDatabase.name);
  private readonly progress = new ReplicaProgress();
  /** The initial value prevents the replica from being used before its state is known. */
  private currentFault: ReplicaFault | undefined = 'unreachable';
  private measuredAgeMs: number | undefined;
  /** Identifies the database of the primary. */
  private databaseId: string | undefined;
  private refreshing: Promise<void> | undefined;

  private constructor(
    private readonly orm: MikroORM | undefined,
    private readonly maxAgeMs: number,
  ) {}

  /** Does not connect to the replica, so that the service starts even if the replica is unavailable. */
  static async create(options: ReplicaOptions | undefined): Promise<ReplicaDatabase> {
    if (options === undefined) return new ReplicaDatabase(undefined, 0);
    return new ReplicaDatabase(await MikroORM.init(options.orm), options.maxAgeMs);
  }

  get isConfigured(): boolean {
    return this.orm !== undefined;
  }

  /** Must only be called if a replica is configured. */
  get em(): EntityManager {
    return this.orm!.em;
  }

  /** The reason why the replica is currently not used; undefined if it is used. */
  get fault(): ReplicaFault | undefined {
    const isCurrent = this.progress.findFloor(performance.now(), this.maxAgeMs) !== undefined;
    return this.currentFault ?? (isCurrent ? undefined : 'behind');
  }

  /** The age of the replica's data in milliseconds at the last measurement. */
  get ageMs(): number | undefined {
    return this.measuredAgeMs;
  }

  /** The pool of connections, for the metrics. */
  get pool(): ReturnType<PostgreSqlConnection['getNativeClient']> {
    return (this.em.getConnection() as unknown as PostgreSqlConnection).getNativeClient();
  }

  /**
   * Returns the position that a transaction on the replica must require. With it, the transaction sees the caller's own
   * changes and no data older than the limit.
   *
   * @throws UnusableReplicaError if the replica cannot be used
   */
  async requirePosition(own: LogPosition): Promise<LogPosition> {
    if (this.currentFault !== undefined) throw new UnusableReplicaError(this.currentFault);
    // The last known state of the replica may be from before the caller's write, so it is queried again.
    if (!this.progress.hasReached(own)) await this.refresh();
    const floor = this.progress.findFloor(performance.now(), this.maxAgeMs);
    if (floor === undefined || !this.progress.hasReached(own)) throw new UnusableReplicaError('behind');
    return floor.max(own);
  }

  /** Compares the positions of the replica and its primary. Called every second. */
  async observe(primary: EntityManager): Promise<void> {
    await withTimeout(this.observePrimary(primary)).catch(() => undefined);
    await this.refresh();
    this.measuredAgeMs = this.progress.getAge(performance.now());
  }

  /** Stops using the replica until it answers again. */
  reportFailure(fault: ReplicaFault): void {
    if (fault === 'behind') return;
    if (this.currentFault !== fault) this.logger.warn({ fault }, 'the replica is not used');
    this.currentFault = fault;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.orm?.close();
  }

  /** Concurrent calls share one query. Its result can be slightly older than that of a new query, but never newer. */
  private refresh(): Promise<void> {
    this.refreshing ??= this.observeReplica().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async observePrimary(primary: EntityManager): Promise<void> {
    const at = performance.now();
    const [row] = await readRows<Identified<PrimaryPositionRow>>(primary, PRIMARY_OBSERVATION_STATEMENT);
    const { databaseId, timeline, lsn } = row!;
    this.databaseId = databaseId;
    this.progress.recordPrimary({ at, position: LogPosition.fromServer(timeline, lsn) });
  }

  private async observeReplica(): Promise<void> {
    try {
      const [row] = await withTimeout(readRows<Identified<ReplicaStateRow>>(this.em, REPLICA_OBSERVATION_STATEMENT));
      const position = toReplicaLogPosition(row!);
      if (this.databaseId !== undefined && row!.databaseId !== this.databaseId)
        throw new UnusableReplicaError('wrong-database');
      this.progress.recordReplica(position);
      if (this.currentFault !== undefined) this.logger.log('the replica can be used');
      this.currentFault = undefined;
    } catch (error) {
      this.reportFailure(error instanceof UnusableReplicaError ? error.fault : 'unreachable');
    }
  }
}

/** Returns a position of the primary that is not before any committed change. */
export async function readPrimaryPosition(primary: EntityManager): Promise<LogPosition> {
  const [row] = await readRows<PrimaryPositionRow>(primary, PRIMARY_POSITION_STATEMENT);
  return LogPosition.fromServer(row!.timeline, row!.lsn);
}

/** Reads outside any transaction, even if the caller is in one. */
function readRows<Row>(em: EntityManager, statement: string): Promise<Row[]> {
  return em.fork({ disableContextResolution: true }).getConnection().execute(statement);
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  const timeout = delay(OBSERVATION_TIMEOUT_MS, undefined, { ref: false });
  return Promise.race([work, timeout.then(() => Promise.reject(new UnusableReplicaError('unreachable')))]);
}
