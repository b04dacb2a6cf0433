import { Logger } from '@nestjs/common';
import { ValueType, type Attributes, type HrTime } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { performance } from 'node:perf_hooks';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';
import { summarizeError } from '../../shared/errors/index.js';

type Metric = MetricObjectWithValues<MetricValue<string>>;
/** The period that the values cover: from the start of the process until now. */
type Period = { startTime: HrTime; endTime: HrTime };

/** Sends the metrics of `/metrics` over OTLP at an interval, with the same names and labels. */
export class MetricsExport {
  private readonly logger = new Logger(MetricsExport.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly exporter: PushMetricExporter,
    private readonly resource: Resource,
    private readonly registry: Registry,
  ) {}

  start(interval: number): void {
    this.timer = setInterval(() => void this.exportNow(), interval).unref();
  }

  /** Sends the metrics once more, so that the last interval is not lost. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.exportNow();
    await this.exporter.shutdown();
  }

  /**
   * Runs exports one after the other, so that they do not pile up if the receiver is slow. One that fails is left out:
   * all later ones would fail with it, and its rejection would end the process.
   */
  private exportNow(): Promise<void> {
    this.running = this.running
      .then(() => this.exportOnce())
      .catch((error: unknown) => this.logger.warn(summarizeError(error), 'the metrics could not be exported'));
    return this.running;
  }

  private async exportOnce(): Promise<void> {
    const metrics = toMetricData(await this.registry.getMetricsAsJSON());
    const scopeMetrics = [{ scope: { name: 'care-scheduling' }, metrics }];
    await new Promise<void>((resolve) =>
      this.exporter.export({ resource: this.resource, scopeMetrics }, () => resolve()),
    );
  }
}

function toMetricData(metrics: readonly Metric[]): MetricData[] {
  const period = {
    startTime: millisToHrTime(performance.timeOrigin),
    endTime: millisToHrTime(performance.timeOrigin + performance.now()),
  };
  return metrics.flatMap((metric) => {
    const data = toMetric(metric, period);
    return data === undefined || data.dataPoints.length === 0 ? [] : [data];
  });
}

function toMetric(metric: Metric, period: Period): MetricData | undefined {
  const { name, help: description, values } = metric;
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  const common = { descriptor: { name, description, unit: toUnit(name), valueType: ValueType.DOUBLE } };
  // The type declaration of prom-client says that `type` is a number, but it is a string.
  switch (String(metric.type)) {
    case 'counter':
      return {
        ...{ ...common, aggregationTemporality, dataPointType: DataPointType.SUM, isMonotonic: true },
        dataPoints: values.map((value) => toPoint(value, period)),
      };
    case 'gauge':
      return {
        ...{ ...common, aggregationTemporality, dataPointType: DataPointType.GAUGE },
        dataPoints: values.map((value) => toPoint(value, period)),
      };
    case 'histogram':
      return {
        ...{ ...common, aggregationTemporality, dataPointType: DataPointType.HISTOGRAM },
        dataPoints: toHistograms(values, period),
      };
    default:
      return undefined;
  }
}

function toPoint({ value, labels }: MetricValue<string>, period: Period): DataPoint<number> {
  return { ...period, attributes: toAttributes(labels), value };
}

/**
 * Combines the samples of a histogram that have the same labels: sum, count and buckets, which are cumulative in
 * Prometheus.
 */
function toHistograms(values: readonly MetricValueWithName<string>[], period: Period): DataPoint<Histogram>[] {
  const groups = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...groups.values()].map((samples) => {
    const ending = (suffix: string) => samples.filter(({ metricName }) => metricName?.endsWith(suffix));
    const buckets = ending('_bucket').map(({ value, labels }) => ({ bound: Number(labels['le']), value }));
    const finite = buckets.filter(({ bound }) => Number.isFinite(bound));
    const count = ending('_count')[0]?.value ?? 0;
    const cumulative = [...finite.map(({ value }) => value), count];
    const counts = cumulative.map((value, index) => value - (cumulative[index - 1] ?? 0));
    const sum = ending('_sum')[0]?.value ?? 0;
    const { le: _, ...labels } = samples[0]!.labels;
    const value = { buckets: { boundaries: finite.map(({ bound }) => bound), counts }, count, sum };
    return { ...period, attributes: toAttributes(labels), value };
  });
}

function toAttributes(labels: MetricValue<string>['labels']): Attributes {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}

function toUnit(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  return name.endsWith('_bytes') ? 'By' : '';
}
