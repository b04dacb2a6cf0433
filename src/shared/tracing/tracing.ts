/** What a span may say. The list is closed, so that no name, text or address of a person gets into a trace. */
export type SpanAttributes = {
  /** The number of messages or reminders. */
  'messaging.batch.message_count'?: number;
  /** The name of a queue or a channel. */
  'messaging.destination.name'?: string;
  /** The id of a message, a random UUID. */
  'messaging.message.id'?: string;
  'messaging.operation.name'?: 'send' | 'process';
  'scheduling.clinic_id'?: number;
  /** The number of reminders in a message. */
  'scheduling.reminders'?: number;
};

export type SpanDescription = {
  /** A constant: backends count spans by their names. */
  name: string;
  kind?: 'INTERNAL' | 'CLIENT' | 'PRODUCER';
  attributes?: SpanAttributes;
};

/** A span that begins a trace of its own and is linked to the traces that have caused it. */
export type LinkedSpanDescription = Omit<SpanDescription, 'kind'> & {
  kind: 'CONSUMER';
  /** Values of `Tracing.traceparent`. A trace that is linked to a sampled one is sampled. */
  links: readonly string[];
};

/**
 * Spans of OpenTelemetry. Without the variables that switch them on, this class is used as it is: it does nothing, and
 * the SDK is not loaded (docs/adr/0014-opentelemetry.md).
 */
export class Tracing {
  readonly isOn: boolean = false;

  /** The active span as a W3C `traceparent`; undefined if there is none or it is not sampled. */
  get traceparent(): string | undefined {
    return undefined;
  }

  /** Runs work in a span. Without an active span, it begins a trace. */
  run<T>(_span: SpanDescription | LinkedSpanDescription, work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** Runs a statement in a span, if there is an active span. `text` may contain values: they are not exported. */
  runStatement<T>(_text: string, work: () => Promise<T>): Promise<T> {
    return work();
  }
}
