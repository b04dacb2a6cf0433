import { ExportResultCode, parseKeyPairsIntoRecord, type ExportResult } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { MikroORM } from '@mikro-orm/core';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Registry } from 'prom-client';
import { setTimeout as delay } from 'node:timers/promises';
import { RELEASE } from '../../shared/config/release.js';
import { traceEmbeddedStatements } from '../../shared/persistence/index.js';
import { Tracing } from '../../shared/tracing/index.js';
import { MetricsExport } from './metrics-export.js';
import { OpenTelemetryTracing } from './open-telemetry.js';
import { OperationSpansInterceptor } from './operation-spans.interceptor.js';
import { traceRequests } from './request-spans.js';
import { createSampler } from './sampler.js';
import type { Telemetry, TelemetryEnvironment } from './telemetry-environment.js';

/** The maximum time that the shutdown waits for the receiver. The process must exit within 10 seconds. */
const SHUTDOWN_MS = 2_000;

type Export<T> = (data: T, done: (result: ExportResult) => void) => void;

/**
 * The OpenTelemetry SDK with its exporters. Only this file and the files that it imports load the SDK, so that a
 * service without telemetry does not load it.
 */
export class OpenTelemetrySdk implements Telemetry {
  readonly tracing: Tracing;
  private readonly resource: Resource;
  private readonly provider: TracerProvider | undefined;
  private metrics: MetricsExport | undefined;

  constructor(private readonly environment: TelemetryEnvironment) {
    this.resource = createResource(environment.serviceName);
    this.provider = this.createTracerProvider();
    this.tracing =
      this.provider === undefined
        ? new Tracing()
        : new OpenTelemetryTracing(this.provider.getTracer('care-scheduling', RELEASE));
  }

  observe(app: NestFastifyApplication): void {
    const fastify = app.getHttpAdapter().getInstance();
    if (this.tracing instanceof OpenTelemetryTracing) {
      traceRequests(fastify, this.tracing, this.environment.readsTraceParent);
      app.useGlobalInterceptors(new OperationSpansInterceptor(this.tracing));
    }
    // When this hook runs, all jobs and requests have ended.
    fastify.addHook('onClose', () => this.stop());
  }

  async start(app: NestFastifyApplication, isEmbedded: boolean): Promise<void> {
    if (isEmbedded) await traceEmbeddedStatements(app.get(MikroORM), this.tracing);
    const { metrics } = this.environment;
    if (metrics === undefined) return;
    const exporter = new OTLPMetricExporter(this.toExporterOptions(metrics.url));
    reportFailures('metrics', exporter);
    this.metrics = new MetricsExport(exporter, this.resource, app.get(Registry));
    this.metrics.start(metrics.interval);
  }

  private async stop(): Promise<void> {
    const stopped = Promise.allSettled([this.provider?.shutdown(), this.metrics?.stop()]);
    await Promise.race([stopped, delay(SHUTDOWN_MS, undefined, { ref: false })]);
  }

  private createTracerProvider(): TracerProvider | undefined {
    const { traces } = this.environment;
    if (traces === undefined) return undefined;
    const exporter = new OTLPTraceExporter(this.toExporterOptions(traces.url));
    reportFailures('traces', exporter);
    const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: traces.delay });
    return new TracerProvider({
      resource: this.resource,
      sampler: createSampler(traces),
      spanLimits: { attributeValueLengthLimit: 1_024 },
      spanProcessors: [processor],
    });
  }

  private toExporterOptions(url: string) {
    const { headers } = this.environment;
    return { url, ...(headers !== undefined && { headers: parseKeyPairsIntoRecord(headers) }) };
  }
}

/** Describes this process: `OTEL_RESOURCE_ATTRIBUTES`, the name and release of the service, and a random ID. */
function createResource(serviceName: string): Resource {
  return detectResources({ detectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector] }).merge(
    resourceFromAttributes({ 'service.name': serviceName, 'service.version': RELEASE }),
  );
}

/** Logs when the receiver starts to refuse exports, and when it accepts them again. Refused data is dropped. */
function reportFailures<T>(kind: string, exporter: { export: Export<T> }): void {
  const logger = new Logger('Telemetry');
  const send = exporter.export.bind(exporter);
  let isFailing = false;
  exporter.export = (data, done) =>
    send(data, (result) => {
      const fails = result.code !== ExportResultCode.SUCCESS;
      if (fails && !isFailing)
        logger.warn({ kind, error: result.error?.name }, 'the OTLP receiver does not take exports');
      if (!fails && isFailing) logger.log({ kind }, 'the OTLP receiver takes exports again');
      isFailing = fails;
      done(result);
    });
}
