import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { forEachServer } from '../../shared/http/index.js';

/* How the service stops, in milliseconds from the signal on: within the 10 s that `docker stop` gives by default. */

/** For so long who comes is still answered, so that load balancers see `/health/ready` fail before anything is refused. */
const GRACE_PERIOD_MS = 2_000;
/** Then what is at work is finished. Who is not answered by now is cut off, as an answer may take longer than a stop. */
const CLOSE_CONNECTIONS_MS = 8_500;
/** Nothing keeps the process longer, not even a database that does not answer. */
const EXIT_MS = 9_500;

/** Takes the service out of use on SIGTERM without refusing anybody; on SIGINT (Ctrl-C) without the grace. */
@Injectable()
export class GracefulShutdown {
  private readonly logger = new Logger(GracefulShutdown.name);
  private readonly servers: Server[] = [];
  private closed: Promise<void> | undefined;

  get hasBegun(): boolean {
    return this.closed !== undefined;
  }

  /** Stops the server on a signal; the rest of the application beside it, by its own hooks. */
  observe(fastify: FastifyInstance): void {
    forEachServer(fastify, (server) => this.servers.push(server));
    const onSignal = (signal: NodeJS.Signals) => this.begin(signal === 'SIGTERM' ? GRACE_PERIOD_MS : 0);
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
    // The next request of this caller goes to another instance, and none is under way when connections are closed.
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      if (this.hasBegun) reply.header('connection', 'close');
      done(null, payload);
    });
    // Fastify would close at once, and the database is closed after that.
    fastify.addHook('preClose', async () => this.closed);
    fastify.addHook('onClose', async () => void process.off('SIGTERM', onSignal).off('SIGINT', onSignal));
  }

  private begin(grace: number): void {
    if (this.hasBegun) return;
    this.logger.log({}, 'stopping');
    this.closed = this.close(grace);
    setTimeout(() => this.servers.forEach((server) => server.closeAllConnections()), CLOSE_CONNECTIONS_MS).unref();
    setTimeout(() => {
      this.logger.error({}, 'stopped before all was finished');
      process.exit(1);
    }, EXIT_MS).unref();
  }

  private async close(grace: number): Promise<void> {
    await delay(grace);
    // Closes idle connections too, and waits for the others.
    await Promise.all(this.servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
