import { MikroORM } from '@mikro-orm/core';
import type { PostgreSqlConnection } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { Environment } from '../../shared/config/env.js';
import { UnauthenticatedError } from '../../shared/errors/index.js';
import { PoolMetrics } from '../../shared/metrics/index.js';
import type { ParameterisedDriver } from '../../shared/persistence/index.js';
import { readMetricsEnvironment } from './metrics-environment.js';

/** The metrics for Prometheus. Labels contain route patterns and statuses, never IDs or names. */
@Injectable()
export class Metrics {
  static readonly CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
  private readonly requests: Histogram;
  private readonly tokenHash: Buffer | undefined;

  constructor(
    private readonly registry: Registry,
    orm: MikroORM,
    pools: PoolMetrics,
    environment: Environment,
  ) {
    const { token } = readMetricsEnvironment(environment);
    this.tokenHash = token === undefined ? undefined : hashToken(token);
    this.requests = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Duration of requests by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    });
    collectDefaultMetrics({ register: registry });
    if (environment.database.kind === 'postgresql') {
      const connection = orm.em.getConnection() as unknown as PostgreSqlConnection;
      pools.register('service', () => connection.getNativeClient());
      const { logins } = orm.em.getDriver() as unknown as ParameterisedDriver;
      for (const [name, login] of logins) pools.register(name, () => login.getNativeClient());
    }
  }

  /**
   * Checks the bearer secret if `METRICS_TOKEN` is set. The secret is not an API token.
   *
   * @throws UnauthenticatedError
   */
  authorize({ headers }: FastifyRequest): void {
    if (this.tokenHash === undefined) return;
    const [, secret = ''] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    // Compares in constant time. The hashes have equal length, as the comparison requires.
    if (!timingSafeEqual(hashToken(secret), this.tokenHash)) throw new UnauthenticatedError();
  }

  /** Returns all metrics in the Prometheus text format. */
  read(): Promise<string> {
    return this.registry.metrics();
  }

  /** Measures the duration of all requests. */
  observe(fastify: FastifyInstance): void {
    fastify.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none';
      this.requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
      done();
    });
  }
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
