import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Scheduler } from '../scheduler/index.js';
import { RELEASE } from '../shared/config/release.js';
import { Clock, CorrectedClock, ZoneData } from '../shared/time/index.js';

const HEARTBEAT_JOB = 'instance-heartbeat';
const INTERVAL_MS = 5_000;
/** The clock is read several times at the start, because the first reading also opens a connection and is inexact. */
const CLOCK_READINGS_AT_START = 4;
/** Limits how long shutdown waits if the database does not answer. */
const REMOVE_TIMEOUT_MS = 1_000;

/**
 * Updates this instance's row in the table `instance` every few seconds, and reads the database clock to correct the
 * service's clock. Both happen once before other modules start.
 */
@Injectable()
export class InstanceHeartbeat implements OnModuleInit, OnApplicationShutdown {
  readonly id = randomUUID();
  private readonly logger = new Logger(InstanceHeartbeat.name);
  private wasReliable = true;
  /** The time of the last request, in milliseconds of `performance.now()`. */
  private requestAtMs: number | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly scheduler: Scheduler,
    private readonly zoneData: ZoneData,
  ) {}

  /** Milliseconds by which the machine clock is currently ahead of the database clock. */
  get clockOffset(): number {
    return this.clock.machineOffset;
  }

  /** Whether this instance has served a request within the given number of seconds. */
  hasServedWithin(seconds: number): boolean {
    return this.secondsSinceRequest !== null && this.secondsSinceRequest < seconds;
  }

  /** Records that a request is being served. The next heartbeat tells the other instances. */
  recordRequest(): void {
    this.requestAtMs = performance.now();
  }

  /** Tells the other instances immediately that this one is serving requests. */
  async publishActivity(): Promise<void> {
    await sql`update instance set serving_at = now() where id = ${this.id}`.execute(this.kysely);
  }

  /** Reads the database clock and sends the first heartbeat. If either fails, the instance does not start. */
  async onModuleInit(): Promise<void> {
    for (let readings = 1; readings < CLOCK_READINGS_AT_START; readings += 1) await this.readDatabaseClock();
    await this.sendHeartbeat();
    const run = () => this.sendHeartbeat();
    this.scheduler.register({ name: HEARTBEAT_JOB, every: INTERVAL_MS, run, runsWithUnreliableClock: true });
  }

  /** Removes the instance's row after the server has closed. If the row cannot be removed, it expires. */
  async onApplicationShutdown(): Promise<void> {
    await this.scheduler.stop(HEARTBEAT_JOB);
    const removed = sql`delete from instance where id = ${this.id}`.execute(this.kysely).catch(() => undefined);
    await Promise.race([removed, delay(REMOVE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  private async sendHeartbeat(): Promise<void> {
    await this.readDatabaseClock();
    this.logClockReliability();
    await this.saveInstanceRow();
  }

  /** Reads the database clock to correct the service's clock, unless that clock belongs to a test or a simulation. */
  private async readDatabaseClock(): Promise<void> {
    if (!(this.clock instanceof CorrectedClock)) return;
    const sentAt = performance.now();
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(this.kysely);
    this.clock.correct({ databaseMilliseconds: rows[0]!.now, sentAt, receivedAt: performance.now() });
  }

  /** Logs each change in the clock's reliability once. */
  private logClockReliability(): void {
    const { isReliable, machineOffset } = this.clock;
    if (isReliable === this.wasReliable) return;
    this.wasReliable = isReliable;
    const line = { event: 'instance.clock', offsetSeconds: Math.round(machineOffset / 1000) };
    if (isReliable) this.logger.log(line, 'the clock of this machine is correct again');
    else
      this.logger.error(
        line,
        'the clock of this machine is wrong: this instance is not ready and runs no jobs that depend on the time',
      );
  }

  /** Inserts or updates this instance's row. Deletes the rows of other instances that were not seen for 10 minutes. */
  private async saveInstanceRow(): Promise<void> {
    await sql`
      with stale as (
        delete from instance where last_seen < now() - interval '10 minutes' and id <> ${this.id}
      )
      insert into instance (id, release, clock_offset_ms, zone_data_version, started_at, last_seen, serving_at)
      values (${this.id}, ${RELEASE}, ${this.clockOffset}, ${this.zoneData.version},
        now() - interval '1 second' * ${process.uptime()}, now(),
        now() - interval '1 second' * ${this.secondsSinceRequest}::float8)
      on conflict (id) do update set clock_offset_ms = excluded.clock_offset_ms,
        zone_data_version = excluded.zone_data_version, last_seen = excluded.last_seen,
        serving_at = excluded.serving_at
    `.execute(this.kysely);
  }

  /** The seconds since the last request, or null if this instance has not served a request yet. */
  private get secondsSinceRequest(): number | null {
    return this.requestAtMs === undefined ? null : (performance.now() - this.requestAtMs) / 1000;
  }

  private get kysely() {
    return (this.em.fork() as SqlEntityManager).getKysely();
  }
}
