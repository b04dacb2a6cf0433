import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { forEachServer } from '../../shared/http/index.js';

/* The steps of a shutdown, in milliseconds after the signal. `docker stop` kills the process after 10 s by default. */

/** Until this time, new connections are accepted, because load balancers must first see `/health/ready` fail. */
const GRACE_PERIOD_MS = 2_000;
/** Until this time, requests in progress may finish. After that, their connections are closed. */
const CLOSE_CONNECTIONS_MS = 8_500;
/** At this time, the process exits even if the database does not respond. */
const EXIT_MS = 9_500;

/** Stops the service on SIGTERM without refusing a request, and on SIGINT (Ctrl-C) without the grace period. */
@Injectable()
export class GracefulShutdown {
  private readonly logger = new Logger(GracefulShutdown.name);
  private readonly servers: Server[] = [];
  private closed: Promise<void> | undefined;

  get hasBegun(): boolean {
    return this.closed !== undefined;
  }

  /** Stops the server on a signal. Nest's shutdown hooks stop the rest of the application at the same time. */
  observe(fastify: FastifyInstance): void {
    forEachServer(fastify, (server) => this.servers.push(server));
    const onSignal = (signal: NodeJS.Signals) => this.begin(signal === 'SIGTERM' ? GRACE_PERIOD_MS : 0);
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
    // Makes clients open a new connection for their next request, so it reaches another instance.
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      if (this.hasBegun) reply.header('connection', 'close');
      done(null, payload);
    });
    // Makes Fastify wait for requests in progress. Otherwise, the database connections would be closed immediately.
    fastify.addHook('preClose', async () => this.closed);
    fastify.addHook('onClose', async () => void process.off('SIGTERM', onSignal).off('SIGINT', onSignal));
  }

  private begin(grace: number): void {
    if (this.hasBegun) return;
    this.logger.log({}, 'stopping');
    this.closed = this.close(grace);
    setTimeout(() => this.servers.forEach((server) => server.closeAllConnections()), CLOSE_CONNECTIONS_MS).unref();
    setTimeout(() => {
      this.logger.error({}, 'stopped before all requests and jobs were finished');
      process.exit(1);
    }, EXIT_MS).unref();
  }

  private async close(grace: number): Promise<void> {
    await delay(grace);
    // `close` closes idle connections and waits for those with a request in progress.
    await Promise.all(this.servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
