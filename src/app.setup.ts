import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import { MikroORM } from '@mikro-orm/core';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { ormOptions } from '../mikro-orm.config.js';
import { AppModule } from './app.module.js';
import { DemonstrationDirectory } from './directory/index.js';
import { limitAddresses, RateLimiter, RefusedTokenFilter } from './limits/index.js';
import { createLogger, logRequests, Metrics, useOpenApi } from './ops/index.js';
import { Environment } from './shared/env.js';
import { ProblemFilter } from './shared/errors/index.js';
import {
  BODY_LIMIT,
  limitRequestsAtWork,
  refuseUnderPressure,
  serverOptions,
  useHttpRules,
  useIgnoredForms,
  useJsonBodies,
  useLineBodies,
  useSpecifiedHeaders,
} from './shared/http/index.js';
import { claimDataDirectory, migrateUp, requireMigrated } from './shared/persistence/index.js';
import { Clock, SystemClock } from './shared/time/index.js';
import { createSchemaPipe } from './shared/validation/index.js';

/**
 * The whole application, ready to listen: one function for main and for the tests, so that tests meet
 * the real stack.
 *
 * @throws DataDirectoryInUseError, PendingMigrationsError, or the driver's error when the database cannot be reached
 */
export async function createApplication(
  environment: Environment,
  clock: Clock = new SystemClock(),
): Promise<NestFastifyApplication> {
  const { database } = environment;
  if (database.kind === 'embedded') claimDataDirectory(database.dataDir);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(environment, clock),
    new FastifyAdapter({
      bodyLimit: BODY_LIMIT,
      genReqId: () => randomUUID(),
      trustProxy: environment.trustedProxies.length > 0 && [...environment.trustedProxies],
      ...serverOptions(environment.publicUrl),
      routerOptions: { maxParamLength: 600 },
    }),
    { logger: createLogger(environment), bodyParser: false, abortOnError: false },
  );
  try {
    await configure(app, environment);
    await prepareDatabase(app, environment);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return app;
  } catch (error) {
    await app.close().catch(() => undefined);
    throw error;
  }
}

async function configure(app: NestFastifyApplication, environment: Environment): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  await app.register(helmet, helmetOptions(environment));
  useSpecifiedHeaders(fastify);
  useJsonBodies(fastify);
  useIgnoredForms(fastify);
  useLineBodies(fastify);
  useHttpRules(fastify);
  refuseUnderPressure(fastify);
  limitAddresses(fastify, app.get(RateLimiter));
  limitRequestsAtWork(fastify, environment.maxRequestsAtWork);
  app.enableCors(corsOptions(environment));
  app.useGlobalPipes(createSchemaPipe());
  app.useGlobalFilters(new ProblemFilter(), new RefusedTokenFilter(app.get(RateLimiter)));
  app.get(Metrics).observe(fastify);
  logRequests(fastify);
  useOpenApi(app);
  // Exit code 0 after a drained SIGTERM: the orchestrator asked, and nothing was lost.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
}

/** Helmet's own defaults, but for what the specification says and what plain HTTP on a developer's machine needs. */
function helmetOptions({ publicUrl }: Environment): FastifyHelmetOptions {
  const isBehindTls = publicUrl.startsWith('https:');
  return {
    xXssProtection: false,
    frameguard: { action: 'deny' },
    strictTransportSecurity: isBehindTls,
    contentSecurityPolicy: {
      directives: {
        'frame-ancestors': ["'none'"],
        'upgrade-insecure-requests': isBehindTls ? [] : null,
        // Swagger UI has all that it needs with it, styles in its markup included.
        'font-src': ["'self'", 'data:'],
        'style-src': ["'self'", "'unsafe-inline'"],
      },
    },
  };
}

/** Decisions, section 1, "Response headers": an allowed origin, else the service's own. */
function corsOptions({ publicUrl, corsOrigins }: Environment) {
  const allowed = new Set([publicUrl, ...corsOrigins]);
  return {
    origin: (origin: string | undefined, answer: (error: null, origin: string) => void) =>
      answer(null, origin !== undefined && allowed.has(origin) ? origin : publicUrl),
    credentials: true,
    // An OPTIONS that is no preflight is answered like one, and not in plain text.
    strictPreflight: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'offset', 'if-match'],
    exposedHeaders: ['location', 'etag', 'retry-after', 'ratelimit', 'ratelimit-policy'],
    maxAge: 600,
  };
}

async function prepareDatabase(app: NestFastifyApplication, { database }: Environment): Promise<void> {
  const orm = app.get(MikroORM);
  await orm.em.fork().getConnection().execute('select 1');
  if (database.kind === 'postgresql' && !database.migrateOnStart) return requireMigrated(orm);
  const migrations = await migrate(orm, database);
  if (migrations.length > 0) new Logger('Start').log({ migrations }, 'migrated');
  if (database.kind === 'embedded') await app.get(DemonstrationDirectory).fillWhenEmpty();
}

/** On PostgreSQL over a connection of its own, whose statements may take as long as they take. */
async function migrate(orm: Parameters<typeof migrateUp>[0], database: Environment['database']): Promise<string[]> {
  if (database.kind === 'embedded') return migrateUp(orm, database);
  const owner = await MikroORM.init(await ormOptions(database, 'owner'));
  try {
    return await migrateUp(owner, database);
  } finally {
    await owner.close();
  }
}
