import { SpanStatusCode, type Attributes } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import type { AuthenticatedRequest } from '../../shared/access/index.js';
import type { OpenTelemetryTracing, RequestSpan } from './open-telemetry.js';

/** Routes without spans, because probes and scrapers call them every few seconds. */
const UNTRACED_ROUTES = /^\/(health|metrics)/;

/**
 * Records a span for each request, with the route pattern instead of the URL, as in the request log. The only trace
 * header that is read is `traceparent`, because `tracestate` and `baggage` contain arbitrary text from the caller.
 */
export function traceRequests(
  fastify: FastifyInstance,
  tracing: OpenTelemetryTracing,
  readsTraceParent: boolean,
): void {
  const spans = new WeakMap<object, RequestSpan>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const { id, method, protocol, headers } = request;
    const route = request.routeOptions.url;
    if (route !== undefined && UNTRACED_ROUTES.test(route)) {
      done();
      return;
    }
    const attributes: Attributes = {
      'http.request.method': method,
      'url.scheme': protocol,
      'scheduling.request_id': id,
      ...(route !== undefined && { 'http.route': route }),
    };
    const traceparent = readsTraceParent ? readHeader(headers['traceparent']) : undefined;
    const name = route === undefined ? method : `${method} ${route}`;
    const started = tracing.startRequest(name, traceparent, attributes);
    spans.set(request, started);
    // `close` also fires if the caller closes the connection, and for an export only after its last byte.
    reply.raw.once('close', () => endRequest(started, request, reply.raw.statusCode));
    started.run(done);
  });
  // The body is read in events of the connection, outside the request's context, so the context is restored afterwards.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const started = spans.get(request);
    if (started === undefined) done();
    else started.run(done);
  });
}

function readHeader(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function endRequest({ span }: RequestSpan, { user }: AuthenticatedRequest, status: number): void {
  span.setAttribute('http.response.status_code', status);
  if (user !== undefined) span.setAttribute('scheduling.role', user.role);
  if (user?.role === 'CLINIC') span.setAttribute('scheduling.clinic_id', user.clinicId);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
