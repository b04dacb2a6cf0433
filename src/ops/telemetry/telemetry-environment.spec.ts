import { testEnvironment } from '../../../test/support/app/test-environment.js';
import { InvalidEnvironmentError } from '../../shared/config/env.js';
import { readTelemetryEnvironment } from './telemetry-environment.js';

const ENDPOINT = 'http://collector:4318';
const read = (rawVariables: Record<string, string>) => readTelemetryEnvironment({ ...testEnvironment, rawVariables });

it.each<Record<string, string>>([
  {},
  { OTEL_SERVICE_NAME: 'a-name' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_SDK_DISABLED: 'true' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
])('%j exports nothing', (variables) => expect(read(variables)).toBeUndefined());

it('has the paths of the specification below the common URL', () => {
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: `${ENDPOINT}/below/` })).toEqual({
    serviceName: 'care-scheduling',
    headers: undefined,
    traces: { url: `${ENDPOINT}/below/v1/traces`, sampler: 'parentbased_always_on', ratio: 1, delay: 5_000 },
    metrics: { url: `${ENDPOINT}/below/v1/metrics`, interval: 60_000 },
    readsTraceParent: true,
  });
});

it('takes the URL of one kind of data as it is', () => {
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${ENDPOINT}/own` };
  expect(read(own)).toMatchObject({ traces: { url: `${ENDPOINT}/own` }, metrics: undefined });
});

it('ignores traceparent without the propagator tracecontext', () => {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_PROPAGATORS: 'none' };
  expect(read(variables)?.readsTraceParent).toBe(false);
});

it.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
  { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  { OTEL_TRACES_SAMPLER: 'sometimes' },
  { OTEL_TRACES_SAMPLER_ARG: '2' },
  { OTEL_TRACES_EXPORTER: 'jaeger' },
  { OTEL_METRIC_EXPORT_INTERVAL: '1' },
  { OTEL_METRIC_EXPORT_INTERVAL: '2147483648' },
  { OTEL_BSP_SCHEDULE_DELAY: '2147483648' },
  { OTEL_EXPORTER_OTLP_HEADERS: 'authorization' },
])('%j is refused with a line that names the variable', (variables) => {
  const [name] = Object.keys(variables);
  expect(() => read(variables as never)).toThrow(InvalidEnvironmentError);
  expect(() => read(variables as never)).toThrow(new RegExp(`^${name} `));
});

it('requires TLS in production, unless the host is listed', () => {
  const rawVariables = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT };
  const at = (plaintextHosts: readonly string[]) => ({ ...testEnvironment, rawVariables, plaintextHosts });
  expect(() => readTelemetryEnvironment(at([]))).toThrow(/^OTEL_EXPORTER_OTLP_ENDPOINT must use TLS/);
  expect(readTelemetryEnvironment(at(['collector']))).toBeDefined();
});
