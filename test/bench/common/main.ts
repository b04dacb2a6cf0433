import { MikroOrmModule } from '@mikro-orm/nestjs';
import { MikroORM } from '@mikro-orm/core';
import { PostgreSqlDriver, SqlEntityManager } from '@mikro-orm/postgresql';
import { Controller, Get, Module, ValidationPipe } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { ormOptions } from '../../../mikro-orm.config.js';
import { readEnvironment } from '../../../src/shared/config/env.js';
import { ProblemFilter } from '../../../src/shared/errors/index.js';
import { observeRequests } from '../yardstick/observe.js';
import { TokenGuard } from './caller.js';
import { PlanController, PlanService } from './plans.js';
import { SessionController, SessionService } from './sessions.js';
import { Transactions } from './transactions.js';

/*
 * A conventional NestJS application: decorated DTOs for class-validator and class-transformer, one lookup per entity,
 * `persist` and `flush`. It uses the product's entities and pure rules, so that it writes the same rows.
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

/** The options of MikroORM are its defaults, without the product's own driver and EntityManager. */
const orm = {
  ...(await ormOptions(database)),
  driver: PostgreSqlDriver,
  driverOptions: {},
  entityManager: SqlEntityManager,
  propagationOnPrototype: true,
  registerRequestContext: false,
};

@Module({
  imports: [MikroOrmModule.forRoot(orm)],
  controllers: [HealthController, PlanController, SessionController],
  providers: [PlanService, SessionService, Transactions, { provide: APP_GUARD, useClass: TokenGuard }],
})
class CommonModule {}

const adapter = new FastifyAdapter({ bodyLimit: 1_048_576, genReqId: () => randomUUID() });
const app = await NestFactory.create<NestFastifyApplication>(CommonModule, adapter, { logger: ['error', 'fatal'] });
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
app.useGlobalFilters(new ProblemFilter());
app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true });

observeRequests(app.getHttpAdapter().getInstance(), pino({ base: null }));
await app.listen({ port, host });
