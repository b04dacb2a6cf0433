import cors from '@fastify/cors';
import { MikroORM } from '@mikro-orm/core';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { HelmetOptions } from 'helmet';
import { randomUUID } from 'node:crypto';
import { AppModule } from './app.module.js';
import { AuditJobs, AuditTrail } from './audit/index.js';
import { AccessGuard, OpenAccessResolver, authenticateRequests, RouteAccessRegistry } from './auth/index.js';
import { isConsoleUrl, serveConsole } from './console/index.js';
import { Demonstration, DemonstrationClock } from './demonstration/index.js';
import { RequestActivity } from './instance/index.js';
import {
  limitRequestsByAddress,
  limitRequestsByCaller,
  limitConnections,
  RateLimiter,
  FailedAuthenticationFilter,
} from './limits/index.js';
import {
  detectDistribution,
  withOwnerConnection,
  createLogger,
  createTelemetry,
  isDocumentationUrl,
  logRequests,
  Metrics,
  GracefulShutdown,
  upgradeSchema,
  serveOpenApi,
  requireUsableQueue,
  type Telemetry,
} from './ops/index.js';
import { Environment } from './shared/config/env.js';
import { ProblemFilter } from './shared/errors/index.js';
import {
  answerConditionalReads,
  compressResponses,
  answerExpectContinue,
  MAX_BODY_BYTES,
  closeConnectionsAfterUnreadBodies,
  limitConcurrentRequests,
  refuseWhenOverloaded,
  chooseAllowedOrigin,
  createServerOptions,
  addResponseHeaders,
  enforceHttpRules,
  discardFormBodies,
  acceptJsonBodies,
  acceptNdjsonBodies,
} from './shared/http/index.js';
import { Clock, CorrectedClock } from './shared/time/index.js';
import {
  prepareDataDirectory,
  DatabaseDamage,
  encryptExistingRows,
  FieldEncryption,
  detectDamageOnOpen,
  requireCurrentSchema,
  requireMatchingKeyStore,
  getLoginRole,
  requireServiceLogins,
  SHARED_LOGIN_ROLE,
  detectEmbeddedDamage,
} from './shared/persistence/index.js';
import { SchemaPipe } from './shared/validation/index.js';
import { ZoneDataRecomputation, ZoneDataState } from './zone-data/index.js';

/**
 * Creates the application, ready to listen. Tests also use this function, so they cover the whole stack.
 *
 * @throws DataDirectoryInUseError, DataDirectoryDamagedError, PendingMigrationsError, or the driver's error if the
 * database cannot be reached
 */
export async function createApplication(
  environment: Environment,
  clock: Clock = createClock(environment),
): Promise<NestFastifyApplication> {
  const { database } = environment;
  if (database.kind === 'embedded') prepareDataDirectory(database.dataDir);
  return detectDamageOnOpen(database, () => startApplication(environment, clock));
}

/** With an embedded database, uses a clock that can be stopped while the demonstration is created. */
function createClock({ database }: Environment): Clock {
  return database.kind === 'embedded' ? new DemonstrationClock() : new CorrectedClock();
}

async function startApplication(environment: Environment, clock: Clock): Promise<NestFastifyApplication> {
  // Not as an option of NestFactory, because lines are logged before it runs, such as the one about a new key.
  Logger.overrideLogger(createLogger(environment));
  const telemetry = await createTelemetry(environment);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(environment, clock, telemetry.tracing),
    new FastifyAdapter({
      bodyLimit: MAX_BODY_BYTES,
      genReqId: () => randomUUID(),
      trustProxy: environment.trustedProxies.length > 0 && [...environment.trustedProxies],
      ...createServerOptions(environment),
      routerOptions: { maxParamLength: 600 },
    }),
    { bodyParser: false, abortOnError: false },
  );
  try {
    await configure(app, environment, telemetry);
    await prepareDatabase(app, environment);
    await telemetry.start(app, environment.database.kind === 'embedded');
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return app;
  } catch (error) {
    await app.close().catch(() => undefined);
    throw error;
  }
}

async function configure(app: NestFastifyApplication, environment: Environment, telemetry: Telemetry): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  telemetry.observe(app);
  app.get(RouteAccessRegistry).registerHook(fastify, (url) => isDocumentationUrl(url) || isConsoleUrl(url));
  addResponseHeaders(fastify, environment.publicUrl, createHelmetOptions(environment));
  answerConditionalReads(fastify);
  await compressResponses(fastify);
  closeConnectionsAfterUnreadBodies(fastify);
  acceptJsonBodies(fastify);
  discardFormBodies(fastify);
  acceptNdjsonBodies(fastify);
  enforceHttpRules(fastify);
  // The embedded database runs on the event loop, so an event loop delay does not mean overload.
  if (environment.database.kind === 'postgresql') refuseWhenOverloaded(fastify);
  limitConnections(fastify, environment);
  limitRequestsByAddress(fastify, app.get(RateLimiter));
  authenticateRequests(fastify, app.get(AccessGuard), app.get(OpenAccessResolver));
  limitRequestsByCaller(fastify, app.get(RateLimiter));
  answerExpectContinue(fastify);
  limitConcurrentRequests(fastify, environment.maxRequestsAtWork);
  app.get(RequestActivity).observeRequests(fastify);
  app.get(ZoneDataState).refuseWritesWhenOutdated(fastify);
  // `enableCors` is not used: it sets its headers twice and makes Node write all other headers one by one.
  await app.register(cors, createCorsOptions(environment));
  app.useGlobalPipes(new SchemaPipe());
  app.useGlobalFilters(new ProblemFilter(), new FailedAuthenticationFilter(app.get(RateLimiter)));
  app.get(AuditTrail).registerHooks(fastify);
  app.get(AuditJobs).registerHooks(fastify);
  app.get(Metrics).observe(fastify);
  logRequests(fastify);
  serveOpenApi(app);
  serveConsole(fastify, environment);
  app.get(GracefulShutdown).observe(fastify);
  // Makes Nest exit with code 0 after a graceful shutdown.
  app.enableShutdownHooks(['SIGTERM', 'SIGINT'], { useProcessExit: true });
}

/** Helmet's defaults, except for headers that the specification defines and for plain HTTP on a developer's machine. */
function createHelmetOptions({ publicUrl }: Environment): HelmetOptions {
  const isBehindTls = publicUrl.startsWith('https:');
  return {
    xXssProtection: false,
    frameguard: { action: 'deny' },
    strictTransportSecurity: isBehindTls,
    contentSecurityPolicy: {
      directives: {
        'frame-ancestors': ["'none'"],
        'upgrade-insecure-requests': isBehindTls ? [] : null,
        // Swagger UI has inline styles and embedded fonts.
        'font-src': ["'self'", 'data:'],
        'style-src': ["'self'", "'unsafe-inline'"],
      },
    },
  };
}

/**
 * Allows the configured origins. In responses to other origins, `Access-Control-Allow-Origin` is the service's own
 * origin (docs/decisions.md, "Response headers").
 */
function createCorsOptions(origins: Environment) {
  return {
    origin: (origin: string | undefined, answer: (error: null, origin: string) => void) =>
      answer(null, chooseAllowedOrigin(origin, origins)),
    credentials: true,
    // Answers OPTIONS requests that are not preflights as if they were, instead of with a plain-text error.
    strictPreflight: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      ...['authorization', 'content-type', 'offset', 'if-match', 'if-none-match', 'idempotency-key', 'prefer'],
      ...['acting-role', 'consistency-token', 'administrator-access'],
      // Browsers with OpenTelemetry send both; `tracestate` is ignored.
      ...['traceparent', 'tracestate'],
    ],
    exposedHeaders: [
      'location',
      'etag',
      'link',
      'retry-after',
      'idempotent-replayed',
      'preference-applied',
      'ratelimit',
      'ratelimit-policy',
      'consistency-token',
    ],
    maxAge: 600,
  };
}

async function prepareDatabase(app: NestFastifyApplication, { database }: Environment): Promise<void> {
  const orm = app.get(MikroORM);
  const { keys, encrypts } = app.get(FieldEncryption);
  if (database.kind === 'embedded') {
    await upgradeSchema(orm, database);
    await requireMatchingKeyStore(orm.em, keys);
    // Before the demonstration, so that its Sessions are not recomputed.
    await app.get(ZoneDataRecomputation).adopt();
    const isNew = await app.get(Demonstration).createIfEmpty();
    if (encrypts && !isNew) await encryptExistingRows(orm.em);
    // Until now, the only connection has used the owner role. From here on, each transaction must set a role.
    await orm.em.fork().getConnection().execute(`set role ${SHARED_LOGIN_ROLE}`);
    await detectEmbeddedDamage(orm, app.get(DatabaseDamage));
    return;
  }
  if (database.migrateOnStart) await withOwnerConnection(database, (owner) => upgradeSchema(owner, database));
  await requireServiceLogins(orm, database);
  await requireCurrentSchema(orm);
  await detectDistribution(orm, database);
  await requireMatchingKeyStore(orm.em, keys);
  await requireUsableQueue(orm, getLoginRole(database, 'reminders'));
}
