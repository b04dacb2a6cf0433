/**
 * All attributes that a span may have. The list is closed, so that no names, texts or addresses of people appear in
 * traces.
 */
type SpanAttributes = {
  /** The number of messages or reminders. */
  'messaging.batch.message_count'?: number;
  /** The name of a queue or a channel. */
  'messaging.destination.name'?: string;
  /** The ID of a message, a random UUID. */
  'messaging.message.id'?: string;
  'messaging.operation.name'?: 'send' | 'process';
  'scheduling.clinic_id'?: number;
  /** The number of reminders in a message. */
  'scheduling.reminders'?: number;
};

export type SpanDescription = {
  /** Must be a constant, because tracing systems group spans by name. */
  name: string;
  kind?: 'INTERNAL' | 'CLIENT' | 'PRODUCER';
  attributes?: SpanAttributes;
};

/** A span that starts a new trace, which is linked to the traces that have caused it. */
export type LinkedSpanDescription = Omit<SpanDescription, 'kind'> & {
  kind: 'CONSUMER';
  /** Values of `Tracing.traceparent`. If a linked trace is sampled, the new trace is sampled as well. */
  links: readonly string[];
};

/**
 * Records OpenTelemetry spans. This base class does nothing; it is used if tracing is off, and then the SDK is not even
 * loaded (docs/adr/0014-opentelemetry.md).
 */
export class Tracing {
  readonly isOn: boolean = false;

  /** The active span as a W3C `traceparent`; undefined if there is none or it is not sampled. */
  get traceparent(): string | undefined {
    return undefined;
  }

  /** Runs work in a new span. Without an active span, the new span starts a trace. */
  run<T>(_span: SpanDescription | LinkedSpanDescription, work: () => Promise<T>): Promise<T> {
    return work();
  }

  /**
   * Runs a statement in a new span if there is an active span.
   *
   * @param _text the statement, whose values are removed before it is exported
   */
  runStatement<T>(_text: string, work: () => Promise<T>): Promise<T> {
    return work();
  }
}
