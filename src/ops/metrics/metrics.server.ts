import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { fastify, type FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Environment } from '../../shared/config/env.js';
import { NotFoundError, ProblemFilter } from '../../shared/errors/index.js';
import { createServerOptions, addResponseHeaders } from '../../shared/http/index.js';
import { readMetricsEnvironment } from './metrics-environment.js';
import { Metrics } from './metrics.js';

/** The server for metrics cannot listen. The cause has the code. */
export class MetricsPortError extends Error {}

/** Serves only metrics, on `METRICS_PORT`, which is not behind a load balancer. */
@Injectable()
export class MetricsServer implements OnModuleDestroy {
  private server: FastifyInstance | undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly environment: Environment,
  ) {}

  /**
   * Listens if `METRICS_PORT` is set.
   *
   * @returns the port, or undefined if `METRICS_PORT` is not set
   * @throws MetricsPortError
   */
  async listen(): Promise<number | undefined> {
    const { port, host } = readMetricsEnvironment(this.environment);
    if (port === undefined) return undefined;
    this.server = this.create();
    await this.server.listen({ port, host }).catch((cause: unknown) => {
      throw new MetricsPortError('The metrics cannot be served', { cause });
    });
    const { port: listening } = this.server.server.address() as AddressInfo;
    new Logger('Start').log({ host, port: listening }, 'metrics are served on a separate port');
    return listening;
  }

  /** Closes the server. Nest calls this method at the beginning of a shutdown, before it closes the API. */
  async onModuleDestroy(): Promise<void> {
    await this.server?.close();
  }

  private create(): FastifyInstance {
    const { publicUrl } = this.environment;
    const server = fastify({
      genReqId: () => randomUUID(),
      forceCloseConnections: true,
      ...createServerOptions({ publicUrl, corsOrigins: [] }),
    }) as unknown as FastifyInstance;
    addResponseHeaders(server, publicUrl, {});
    server.get('/metrics', async (request, reply) => {
      this.metrics.authorize(request);
      reply.type(Metrics.CONTENT_TYPE);
      return this.metrics.read();
    });
    const problems = new ProblemFilter();
    server.setErrorHandler((error, ...exchange) => problems.catch(error, new ExecutionContextHost(exchange)));
    server.setNotFoundHandler(() => {
      throw new NotFoundError();
    });
    return server;
  }
}
