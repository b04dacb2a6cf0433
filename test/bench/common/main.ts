import { MikroOrmModule } from '@mikro-orm/nestjs';
import { MikroORM } from '@mikro-orm/core';
import { Controller, Get, Module, ValidationPipe } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Histogram, Registry } from 'prom-client';
import { ormOptions } from '../../../mikro-orm.config.js';
import { readEnvironment } from '../../../src/shared/env.js';
import { ProblemFilter } from '../../../src/shared/errors/index.js';
import { ANSWER_HEADERS } from '../yardstick/headers.js';
import { TokenGuard } from './caller.js';
import { PlanController, PlanService } from './plans.js';
import { SessionController, SessionService } from './sessions.js';
import { Transactions } from './transactions.js';

/*
 * The common way: what most NestJS code does. Decorated DTOs for class-validator and class-transformer, look-ups
 * entity by entity, `persist` and `flush`. Entities and pure rules are the product's, so that the same rows come of it.
 */

const { port, host, database } = readEnvironment();

@Controller('/health')
class HealthController {
  constructor(private readonly orm: MikroORM) {}

  @Get('ready')
  async ready(): Promise<void> {
    await this.orm.em.fork().getConnection().execute('select 1');
  }
}

@Module({
  imports: [MikroOrmModule.forRoot({ ...(await ormOptions(database)), registerRequestContext: false })],
  controllers: [HealthController, PlanController, SessionController],
  providers: [PlanService, SessionService, Transactions, { provide: APP_GUARD, useClass: TokenGuard }],
})
class CommonModule {}

const adapter = new FastifyAdapter({ bodyLimit: 1_048_576, genReqId: () => randomUUID() });
const app = await NestFactory.create<NestFastifyApplication>(CommonModule, adapter, { logger: ['error', 'fatal'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
app.useGlobalFilters(new ProblemFilter());
app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true });

const log = pino({ base: null });
const requests = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Duration of requests by route pattern.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers: [new Registry()],
});
const fastify = app.getHttpAdapter().getInstance();
fastify.addHook('onSend', (_request, reply, payload, done) => {
  for (const name in ANSWER_HEADERS) if (!reply.hasHeader(name)) reply.header(name, ANSWER_HEADERS[name]);
  done(null, payload);
});
fastify.addHook('onResponse', ({ id: requestId, method, routeOptions }, { statusCode: status, elapsedTime }, done) => {
  const route = routeOptions.url ?? 'none';
  requests.observe({ method, route, status }, elapsedTime / 1000);
  log.info({ requestId, method, route, status, milliseconds: Math.round(elapsedTime) }, 'request');
  done();
});
await app.listen({ port, host });
