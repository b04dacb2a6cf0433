import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { fastify, type FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Environment } from '../../shared/config/env.js';
import { NotFoundError, ProblemFilter } from '../../shared/errors/index.js';
import { serverOptions, useHeaders } from '../../shared/http/index.js';
import { readMetricsEnvironment } from './metrics-environment.js';
import { Metrics } from './metrics.js';

/** Serves metrics, and nothing else, on `METRICS_PORT`: a port that no load balancer leads to. */
@Injectable()
export class MetricsServer implements OnModuleDestroy {
  private server: FastifyInstance | undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly environment: Environment,
  ) {}

  /** Listens where a port of its own is configured. Returns that port. */
  async listen(): Promise<number | undefined> {
    const { port, host } = readMetricsEnvironment(this.environment);
    if (port === undefined) return undefined;
    this.server = this.create();
    await this.server.listen({ port, host });
    const { port: listening } = this.server.server.address() as AddressInfo;
    new Logger('Start').log({ host, port: listening }, 'metrics are served on their own port');
    return listening;
  }

  /** After the last request, so that an instance can be observed while it stops. */
  async onModuleDestroy(): Promise<void> {
    await this.server?.close();
  }

  private create(): FastifyInstance {
    const { publicUrl } = this.environment;
    const server = fastify({
      genReqId: () => randomUUID(),
      forceCloseConnections: true,
      ...serverOptions(publicUrl),
    }) as unknown as FastifyInstance;
    useHeaders(server, publicUrl, {});
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
