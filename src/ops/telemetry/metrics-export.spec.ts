import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Resource } from '@opentelemetry/resources';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { Registry } from 'prom-client';
import { MetricsExport } from './metrics-export.js';

it('exports the metrics again after they could not be read', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const read = jest.fn<() => Promise<[]>>().mockRejectedValueOnce(new Error('x')).mockResolvedValue([]);
  const send = jest.fn((_metrics: unknown, done: () => void) => done());
  const exporter = { export: send, shutdown: () => Promise.resolve() } as unknown as PushMetricExporter;
  const metrics = new MetricsExport(exporter, {} as Resource, { getMetricsAsJSON: read } as unknown as Registry);
  await metrics.stop();
  expect([send.mock.calls.length, warn.mock.calls.length]).toEqual([0, 1]);
  await metrics.stop();
  expect([send.mock.calls.length, warn.mock.calls.length]).toEqual([1, 1]);
});
