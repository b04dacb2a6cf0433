import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { getErrorClassName } from '../shared/errors/index.js';
import { isHealthProbe } from '../shared/http/index.js';
import { Clock, CorrectedClock } from '../shared/time/index.js';
import { InstanceHeartbeat } from './instance.heartbeat.js';

/** How long an instance counts as serving after a request. Must exceed the heartbeat interval (5 seconds). */
const SERVING_SECONDS = 10;
/** The shortest interval between two lookups of the other instances. */
const LOOKUP_INTERVAL_MS = 200;

/**
 * Tells background work whether this instance or another one on the same database is serving requests. Instances share
 * the database, so background work on one instance delays requests on all of them.
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

  /**
   * Records each request that neither authentication nor a limit has refused. Ignores health probes and metrics
   * scrapes, which arrive at regular intervals.
   */
  observeRequests(fastify: FastifyInstance): void {
    fastify.addHook('preHandler', (request, _reply, done) => {
      if (!isHealthProbe(request) && request.routeOptions.url !== '/metrics') this.recordRequest();
      done();
    });
  }

  /**
   * Whether any instance has served a request in the last 10 seconds. Always false with the clock of a test or
   * simulation, which stands still while background work waits for requests to end.
   */
  async isServing(): Promise<boolean> {
    if (!(this.clock instanceof CorrectedClock)) return false;
    if (this.heartbeat.hasServedWithin(SERVING_SECONDS)) return true;
    if (performance.now() - this.lookedUpAt >= LOOKUP_INTERVAL_MS)
      await (this.lookup ??= this.refreshOtherActivity().finally(() => (this.lookup = undefined)));
    return this.otherServes;
  }

  /** Publishes the first request after a pause immediately; later requests are published by the heartbeat. */
  private recordRequest(): void {
    const isFirst = !this.heartbeat.hasServedWithin(SERVING_SECONDS);
    this.heartbeat.recordRequest();
    if (!isFirst) return;
    this.heartbeat.publishActivity().catch((error: unknown) => {
      this.logger.warn({ error: getErrorClassName(error) }, 'cannot publish request activity');
    });
  }

  /** Looks up whether other instances serve requests. Keeps the previous result if the query fails. */
  private async refreshOtherActivity(): Promise<void> {
    this.lookedUpAt = performance.now();
    try {
      const { rows } = await sql<{ serves: boolean }>`
        select exists(
          select from instance where id <> ${this.heartbeat.id} and serving_at > now() - interval '1 second' * ${SERVING_SECONDS}
        ) as serves`.execute((this.em.fork() as SqlEntityManager).getKysely());
      this.otherServes = rows[0]!.serves;
    } catch (error) {
      this.logger.warn({ error: getErrorClassName(error) }, 'cannot read request activity');
    }
  }
}
