import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { parseOffsetZone } from './calendar.js';
import { applyPlan, type toResponse } from './changes.js';
import { listIncluded, listSessions, type ListQuery } from './list.js';
import { observeRequests } from './observe.js';
import { RequestLimits } from './limits.js';
import { createPlan, readPlan, type PlanBody } from './plans.js';
import { ProblemException } from './problem.js';
import { changeSession, type ChangeBody } from './reschedule.js';
import * as schemas from './schemas.js';
import { createSessions, type ApplyBody, type SessionsBody } from './series.js';
import { createTokenReader, type AuthenticatedCaller } from './token.js';
import { Transactions, type AuditEntryInput } from './transaction.js';
import { readWeek, listAuditRecords, type WeekQuery } from './week.js';

/*
 * The yardstick: a hand-written service for comparison, built for speed with Fastify, Ajv and pg with named statements.
 * It serves the operations of the workloads, makes the same checks, writes the same rows and returns the same responses
 * as the product.
 */

const BODY_LIMIT = 1_048_576;
const MAX_DEPTH = 32;

const { PORT, DATABASE_URL, JWT_SECRET } = process.env as Record<string, string>;
const transactions = new Transactions(DATABASE_URL!);
const callerOf = createTokenReader(JWT_SECRET!);

const app = Fastify({
  bodyLimit: BODY_LIMIT,
  genReqId: () => randomUUID(),
  ajv: { customOptions: schemas.AJV_OPTIONS },
  logger: { base: null },
  disableRequestLogging: true,
});
declare module 'fastify' {
  interface FastifyRequest {
    caller: AuthenticatedCaller;
  }
}
app.decorateRequest('caller');

observeRequests(app, app.log);
const limits = new RequestLimits();
limits.observe(app);
await limits.watchRevoked(transactions.pool);

app.removeAllContentTypeParsers();
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
  const text = body as Buffer;
  if (!isUtf8(text) || isTooDeep(text)) {
    done(new ProblemException(400, 'The request is malformed.'));
    return;
  }
  try {
    done(null, JSON.parse(text.toString()));
    return;
  } catch {
    done(new ProblemException(400, 'The request is malformed.'));
    return;
  }
});

app.setErrorHandler(
  (
    error: Error & { statusCode?: number; validation?: { instancePath: string; message: string }[] },
    request,
    reply,
  ) => {
    const status = error instanceof ProblemException ? error.status : (error.statusCode ?? 500);
    const found = error.validation?.map(({ instancePath, message }) => ({ pointer: instancePath, detail: message }));
    const errors = error instanceof ProblemException ? error.errors : (found ?? []);
    if (status === 500)
      app.log.error({ requestId: request.id, error: error.name, message: error.message }, 'unexpected error');
    const detail = status === 500 ? 'Something went wrong on our side.' : error.message;
    void reply.status(status).type('application/problem+json');
    void reply.send(
      JSON.stringify({ type: 'about:blank', status, detail, instance: `urn:uuid:${request.id}`, errors }),
    );
  },
);

app.get('/health/ready', async (_request, reply) => reply.status((await transactions.isReady()) ? 200 : 503).send());

const as = (role: AuthenticatedCaller['role']) => (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
  request.caller = callerOf(request.headers.authorization, role);
  limits.check(request.caller, reply);
  done();
};
const zoneOf = (request: FastifyRequest) => parseOffsetZone(request.headers['offset']);
const CLIENT_DATA = 'max-age=1, no-cache, no-store';

app.post<{ Body: PlanBody }>(
  '/gateway/profile/clinic/design-plan',
  {
    onRequest: as('CLINIC'),
    preValidation: spellings({ planName: 'name', createdDate: 'createDate' }),
    schema: { body: schemas.createPlanBodySchema, headers: schemas.offsetHeaderSchema },
  },
  async (request, reply) => {
    const { caller, body } = request;
    const id = await transactions.write(
      caller,
      (run) => createPlan(run, caller, body, zoneOf(request)),
      (made) => entry(request, [`design-plan/${made}`]),
    );
    return reply.status(201).header('location', `/design-plan/${id}`).header('content-length', '0').send();
  },
);

app.get<{ Params: { id: string } }>(
  '/gateway/profile/clinic/design-plan/:id',
  { onRequest: as('CLINIC'), schema: { params: schemas.idParamSchema } },
  async ({ caller, params }, reply) => {
    const { version, body } = await transactions.read(caller, (run) => readPlan(run, caller, Number(params.id)));
    return reply.header('etag', `"${version}"`).send(body);
  },
);

app.get<{ Querystring: ListQuery }>(
  '/gateway/profile/clinic/session',
  { onRequest: as('CLINIC'), schema: { querystring: schemas.listQuerySchema } },
  async (request, reply) => {
    const { caller, query } = request;
    const page = await (query.include === undefined
      ? transactions.read(
          caller,
          (run) => listSessions(run, caller, query),
          ({ items }) => entry(request, items.flatMap(recordsOf)),
        )
      : transactions.read(
          caller,
          (run) => listIncluded(run, caller, query),
          ({ items }) => entry(request, items.flatMap(listAuditRecords)),
        ));
    return reply.header('cache-control', CLIENT_DATA).send(page);
  },
);

app.get<{ Querystring: WeekQuery }>(
  '/gateway/profile/caregiver/week',
  { onRequest: as('CARE_PROVIDER'), schema: { querystring: schemas.weekQuerySchema } },
  async (request, reply) => {
    const { caller, query } = request;
    const week = await transactions.read(
      caller,
      (run) => readWeek(run, caller, query),
      ({ sessions }) => entry(request, sessions.flatMap(listAuditRecords)),
    );
    return reply.header('cache-control', CLIENT_DATA).send(week);
  },
);

app.post<{ Body: SessionsBody }>(
  '/gateway/profile/caregiver/session',
  {
    onRequest: as('CARE_PROVIDER'),
    preValidation: spellings({ caregiverId: 'CareProviderId', title: 'Title' }),
    schema: { body: schemas.createSessionsBodySchema, headers: schemas.offsetHeaderSchema },
  },
  async (request, reply) => {
    const { caller, body } = request;
    const { seriesId, ids } = await transactions.write(
      caller,
      (run) => createSessions(run, caller, body, zoneOf(request)),
      (made) => entry(request, [`series/${made.seriesId}`, `client/${body.clientId}`]),
    );
    const what = ids.length === 1 ? '1 Session was created' : `${ids.length} Sessions were created`;
    void reply.status(201).header('location', `/gateway/profile/caregiver/session?seriesId=${seriesId}`);
    if (ids.length === 1) void reply.header('etag', '"1"');
    return reply.send({ message: `${what}: ${ids.join(', ')}.` });
  },
);

app.post<{ Params: { id: string }; Body: ApplyBody }>(
  '/gateway/profile/caregiver/design-plan/:id/apply',
  {
    onRequest: as('CARE_PROVIDER'),
    schema: { params: schemas.idParamSchema, body: schemas.applyPlanBodySchema, headers: schemas.offsetHeaderSchema },
  },
  async (request, reply) => {
    const { caller, body, params } = request;
    const change = await transactions.write(
      caller,
      (run) => applyPlan(run, caller, Number(params.id), body, zoneOf(request)),
      (made) => entry(request, [`design-plan/${params.id}`, ...recordsOfChange(made, body.clientId)]),
    );
    void reply.status(201).header('location', `/gateway/profile/caregiver/series/${change.seriesId}`);
    return reply.header('cache-control', CLIENT_DATA).send(change);
  },
);

app.patch<{ Params: { id: string }; Body: ChangeBody }>(
  '/gateway/profile/caregiver/session/:id',
  {
    onRequest: as('CARE_PROVIDER'),
    schema: {
      params: schemas.idParamSchema,
      body: schemas.changeSessionBodySchema,
      headers: schemas.offsetHeaderSchema,
    },
  },
  async (request, reply) => {
    const { caller, body, params } = request;
    const change = { seenVersion: seenVersion(request.headers['if-match']), body, zone: zoneOf(request) };
    const answer = await transactions.write(
      caller,
      (run) => changeSession(run, caller, Number(params.id), change),
      (made) => entry(request, [`session/${params.id}`, ...recordsOfChange(made)]),
    );
    void reply.header('etag', `"${answer.sessions[0]!.version}"`);
    return reply.header('cache-control', CLIENT_DATA).send(answer);
  },
);

process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
await app.listen({ port: Number(PORT), host: '127.0.0.1' });

/** Creates the audit entry of a response. */
function entry({ id, ip, method, routeOptions }: FastifyRequest, records: readonly string[]): AuditEntryInput {
  const operation = `${method} ${routeOptions.url!.replaceAll(/:(\w+)/g, '{$1}')}`;
  return { operation, requestId: id, address: ip, records: [...new Set(records)] };
}

type Change = ReturnType<typeof toResponse<{ seriesId: string }>>;
type Listed = { id: number; seriesId: string; clientId: number; homework: { id: number }[] };

function recordsOf({ id, seriesId, clientId, homework }: Listed): string[] {
  return [
    `session/${id}`,
    `series/${seriesId}`,
    `client/${clientId}`,
    ...homework.map((item) => `homework/${item.id}`),
  ];
}

function recordsOfChange({ seriesId, sessions, conflicts }: Change, clientId?: number): string[] {
  return [
    `series/${seriesId}`,
    ...(clientId === undefined ? [] : [`client/${clientId}`]),
    ...sessions.flatMap((session) => [`session/${session.id}`, `client/${session.clientId}`]),
    ...conflicts.map(({ otherSessionId }) => `session/${otherSessionId}`),
  ];
}

/** Accepts the second names of fields. Refuses a request in which both names of a field have different values. */
function spellings(aliases: Record<string, string>) {
  const pairs = Object.entries(aliases);
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
    const body = request.body as Record<string, unknown> | null;
    if (typeof body !== 'object' || body === null) {
      done();
      return;
    }
    for (const [field, alias] of pairs) {
      if (body[alias] === undefined) continue;
      if (body[field] != null && body[field] !== body[alias]) {
        done(
          new ProblemException(400, 'Malformed', [{ pointer: `/${alias}`, detail: `must not differ from ${field}` }]),
        );
        return;
      }
      body[field] = body[alias];
    }
    done();
  };
}

function seenVersion(header: string | undefined): number {
  if (header === undefined) throw new ProblemException(428, 'If-Match is required.');
  const version = /^"(\d{1,9})"$/.exec(header.trim())?.[1];
  if (version === undefined) throw new ProblemException(412, 'The record has changed since it was read.');
  return Number(version);
}

/** Whether a JSON text is nested too deeply. Scans its bytes, because bytes beyond ASCII occur only within strings. */
function isTooDeep(text: Buffer): boolean {
  let depth = 0;
  for (let index = 0, inString = false; index < text.length; index += 1) {
    const byte = text[index];
    if (inString) {
      if (byte === 0x5c) index += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return false;
}
