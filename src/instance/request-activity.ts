import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { isHealthProbe } from '../shared/http/index.js';
import { Clock, CorrectedClock } from '../shared/time/index.js';
import { InstanceHeartbeat } from './instance.heartbeat.js';

/** An instance counts as serving for this long after a request. Its heartbeat, every 5 s, repeats it. */
const SERVING_SECONDS = 10;
/** The other instances are looked up at most this often. */
const LOOKUP_INTERVAL_MS = 200;

/**
 * Tells background work whether requests are being served, by this instance or by another one on the same database.
 * Instances share at least the database, so background work on one of them delays requests on all.
 */
@Injectable()
export class RequestActivity {
  private readonly logger = new Logger(RequestActivity.name);
  private lookedUpAt = Number.NEGATIVE_INFINITY;
  private otherServes = false;
  private lookup: Promise<void> | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly heartbeat: InstanceHeartbeat,
    private readonly clock: Clock,
  ) {}

  /** Counts requests that have passed authentication. Probes and metrics do not count: they are called all the time. */
  countRequests(fastify: FastifyInstance): void {
    fastify.addHook('preHandler', (request, _reply, done) => {
      if (!isHealthProbe(request) && request.routeOptions.url !== '/metrics') this.noteRequest();
      done();
    });
  }

  /**
   * Whether any instance has served a request in the last 10 seconds. Always false with the clock of a test or a
   * simulation: their time does not pass while work waits for requests.
   */
  async isServing(): Promise<boolean> {
    if (!(this.clock instanceof CorrectedClock)) return false;
    if (this.heartbeat.hasServedWithin(SERVING_SECONDS)) return true;
    if (performance.now() - this.lookedUpAt >= LOOKUP_INTERVAL_MS)
      await (this.lookup ??= this.lookUpOthers().finally(() => (this.lookup = undefined)));
    return this.otherServes;
  }

  /** The first request after a pause is published at once; later ones wait for the heartbeat. */
  private noteRequest(): void {
    const isFirst = !this.heartbeat.hasServedWithin(SERVING_SECONDS);
    this.heartbeat.noteRequest();
    if (!isFirst) return;
    this.heartbeat.publishServing().catch((error: unknown) => {
      this.logger.warn(
        { error: error instanceof Error ? error.name : typeof error },
        'cannot publish request activity',
      );
    });
  }

  private async lookUpOthers(): Promise<void> {
    const { rows } = await sql<{ serves: boolean }>`
      select exists(
        select from instance where id <> ${this.heartbeat.id} and serving_at > now() - interval '1 second' * ${SERVING_SECONDS}
      ) as serves`.execute((this.em.fork() as SqlEntityManager).getKysely());
    this.otherServes = rows[0]!.serves;
    this.lookedUpAt = performance.now();
  }
}
