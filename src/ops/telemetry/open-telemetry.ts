import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  describeStatement,
  Tracing,
  type LinkedSpanDescription,
  type SpanDescription,
} from '../../shared/tracing/index.js';

/** Maximum number of links per span. It limits the size of the span for a message that contains many reminders. */
const MAX_LINKS = 8;

/**
 * Records spans with the SDK of OpenTelemetry. The active span is kept here and not in the global state of the SDK, so
 * that several applications can run in one process.
 */
export class OpenTelemetryTracing extends Tracing {
  override readonly isOn = true;
  private readonly active = new AsyncLocalStorage<Context>();

  constructor(private readonly tracer: Tracer) {
    super();
  }

  override get traceparent(): string | undefined {
    const span = trace.getSpan(this.context);
    // Work that outlives its request, such as a new connection, still runs in the context of the request's ended span.
    if (!span?.isRecording()) return undefined;
    const { traceId, spanId, traceFlags } = span.spanContext();
    return (traceFlags & TraceFlags.SAMPLED) === 0 ? undefined : `00-${traceId}-${spanId}-01`;
  }

  override run<T>(span: SpanDescription | LinkedSpanDescription, work: () => Promise<T>): Promise<T> {
    const { name, kind = 'INTERNAL', attributes = {} } = span;
    const links = 'links' in span ? span.links : undefined;
    const parent = links === undefined ? this.context : ROOT_CONTEXT;
    const options = { kind: SpanKind[kind], attributes, links: (links ?? []).flatMap(toLink).slice(0, MAX_LINKS) };
    return this.runIn(this.tracer.startSpan(name, options, parent), parent, work);
  }

  override runStatement<T>(statement: string, work: () => Promise<T>): Promise<T> {
    const parent = this.context;
    // A statement outside a recorded span, such as a poll of the queue for jobs, is not traced.
    if (!trace.getSpan(parent)?.isRecording()) return work();
    const { name, text } = describeStatement(statement);
    const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
    const span = this.tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
    // The span of the statement is not activated, because no other span begins while the statement runs.
    return endWith(span, work);
  }

  /** Begins the span of a request. `run` activates it for the rest of the request. */
  startRequest(name: string, traceparent: string | undefined, attributes: Attributes): RequestSpan {
    const remote = traceparent === undefined ? null : parseTraceParent(traceparent);
    const parent = remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true });
    const span = this.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const context = trace.setSpan(parent, span);
    return { span, run: (work) => this.active.run(context, work) };
  }

  private runIn<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
    return this.active.run(trace.setSpan(parent, span), () => endWith(span, work));
  }

  private get context(): Context {
    return this.active.getStore() ?? ROOT_CONTEXT;
  }
}

export type RequestSpan = { span: Span; run: (work: () => void) => void };

/**
 * Ends the span when the work ends. Records only the code or class of an error, because its message can contain values
 * of rows.
 */
async function endWith<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', toErrorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the SQLSTATE or system code of an error, or its class if it has no code. */
function toErrorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : error.constructor.name;
}

function toLink(traceparent: string): Link[] {
  const context: SpanContext | null = parseTraceParent(traceparent);
  return context === null ? [] : [{ context: { ...context, isRemote: true } }];
}
