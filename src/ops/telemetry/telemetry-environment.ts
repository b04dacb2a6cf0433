import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { declareVariables, readVariables, requireTls, type Environment } from '../../shared/config/env.js';
import { toHttpTarget } from '../../shared/config/transport-security.js';
import type { Tracing } from '../../shared/tracing/index.js';

const receiver = z.url({ protocol: /^https?$/, error: 'must be the http(s) URL of an OTLP receiver' }).optional();
const exporter = z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp');
/** Node's timers run a longer interval as one of a millisecond. */
const MAX_INTERVAL_MS = 2_147_483_647;
const milliseconds = (initial: number) =>
  z.coerce
    .number({ error: 'must be a whole number of milliseconds' })
    .int()
    .min(100, 'must be at least 100')
    .max(MAX_INTERVAL_MS, `must be at most ${MAX_INTERVAL_MS}`)
    .default(initial);

const SAMPLERS = [
  ...['always_on', 'always_off', 'traceidratio'],
  ...['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
] as const;

/** The standard variables of OpenTelemetry (opentelemetry.io, "Environment Variable Specification"). */
const variables = z.object(
  declareVariables('OpenTelemetry', {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.describe(
      'URL of a receiver of OTLP over HTTP, such as `http://collector:4318`. Traces are sent to `/v1/traces` and metrics to `/v1/metrics` below it. Absent: nothing is recorded or sent.',
    ),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.describe('Complete URL for traces, instead of the one above.'),
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: receiver.describe('Complete URL for metrics, instead of the one above.'),
    OTEL_EXPORTER_OTLP_PROTOCOL: z
      .literal('http/protobuf', 'must be http/protobuf, the only protocol that the service has')
      .default('http/protobuf')
      .describe('`http/protobuf`.'),
    OTEL_EXPORTER_OTLP_HEADERS: z
      .string()
      .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'must be a list such as name=value,name=value')
      .optional()
      .meta({
        secret: true,
        description: 'Headers of each export, such as `authorization=Bearer%20…`. Values are percent-encoded.',
      }),
    OTEL_SERVICE_NAME: z.string().default('care-scheduling').describe('The name of the service in traces and metrics.'),
    OTEL_TRACES_EXPORTER: exporter.describe('`otlp`, or `none` for no traces.'),
    OTEL_METRICS_EXPORTER: exporter.describe('`otlp`, or `none` for no metrics over OTLP. `/metrics` stays as it is.'),
    OTEL_TRACES_SAMPLER: z
      .enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`)
      .default('parentbased_always_on')
      .describe(`Which traces are recorded: ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}.`),
    OTEL_TRACES_SAMPLER_ARG: z.coerce
      .number({ error: 'must be a number from 0 to 1' })
      .min(0)
      .max(1)
      .default(1)
      .describe('The share of traces that `traceidratio` and `parentbased_traceidratio` record, from 0 to 1.'),
    OTEL_PROPAGATORS: z
      .string()
      .default('tracecontext,baggage')
      .describe(
        'With `tracecontext`, the header `traceparent` of a request continues its trace. `none`: it is ignored. Baggage is never read.',
      ),
    OTEL_BSP_SCHEDULE_DELAY: milliseconds(5_000).describe('Milliseconds between two exports of spans.'),
    OTEL_METRIC_EXPORT_INTERVAL: milliseconds(60_000).describe('Milliseconds between two exports of metrics.'),
    OTEL_SDK_DISABLED: z.string().optional().describe('`true`: nothing is recorded or sent, whatever else is set.'),
  }),
);

export type TelemetryEnvironment = {
  serviceName: string;
  headers: string | undefined;
  /** How and where traces are exported; undefined if no traces are exported. */
  traces: { url: string; sampler: (typeof SAMPLERS)[number]; ratio: number; delay: number } | undefined;
  /** Where and how often metrics are exported; undefined if they are only served at `/metrics`. */
  metrics: { url: string; interval: number } | undefined;
  /** Whether the `traceparent` header of requests is read. */
  readsTraceParent: boolean;
};

/** Sends traces and metrics to a receiver over OTLP. */
export type Telemetry = {
  readonly tracing: Tracing;
  /** Adds the hooks for requests. Must be called before the other hooks, so that they belong to the request's span. */
  observe(app: NestFastifyApplication): void;
  /** Starts the export, after the database has been prepared. */
  start(app: NestFastifyApplication, isEmbedded: boolean): Promise<void>;
};

/**
 * Reads the standard variables.
 *
 * @returns undefined if there is nothing to export
 * @throws InvalidEnvironmentError with one line for each invalid variable
 */
export function readTelemetryEnvironment(environment: Environment): TelemetryEnvironment | undefined {
  const read = readVariables(variables, environment.rawVariables);
  const tracesUrl = toUrl(environment, read, 'TRACES');
  const metricsUrl = toUrl(environment, read, 'METRICS');
  const isDisabled = read.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
  if (isDisabled || (tracesUrl === undefined && metricsUrl === undefined)) return undefined;
  return {
    serviceName: read.OTEL_SERVICE_NAME,
    headers: read.OTEL_EXPORTER_OTLP_HEADERS,
    traces: tracesUrl === undefined ? undefined : toTraces(read, tracesUrl),
    metrics: metricsUrl === undefined ? undefined : { url: metricsUrl, interval: read.OTEL_METRIC_EXPORT_INTERVAL },
    readsTraceParent: read.OTEL_PROPAGATORS.split(',').some((name) => name.trim() === 'tracecontext'),
  };
}

type Read = z.output<typeof variables>;

function toTraces(read: Read, url: string): TelemetryEnvironment['traces'] {
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio, OTEL_BSP_SCHEDULE_DELAY: delay } = read;
  return { url, sampler, ratio, delay };
}

/**
 * Returns the URL for traces or metrics: the value of the specific variable, or the common URL with the standard path
 * appended.
 */
function toUrl(environment: Environment, read: Read, kind: 'TRACES' | 'METRICS'): string | undefined {
  if (read[`OTEL_${kind}_EXPORTER`] === 'none') return undefined;
  const own = read[`OTEL_EXPORTER_OTLP_${kind}_ENDPOINT`];
  const common = read.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = own ?? (common === undefined ? undefined : `${common.replace(/\/$/, '')}/v1/${kind.toLowerCase()}`);
  if (url === undefined) return undefined;
  const variable = own === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : `OTEL_EXPORTER_OTLP_${kind}_ENDPOINT`;
  requireTls(environment, variable, toHttpTarget(url));
  return url;
}
