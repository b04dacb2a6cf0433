import { waitFor, type TestApp } from '../app/test-app.js';

/** A sample in the Prometheus text format. */
export type MetricSample = { name: string; labels: Record<string, string>; value: number };

/** Parses the response of `/metrics`. */
export function parseSamples(text: string): MetricSample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of]) => [label!, of!]);
    return { name: name!, labels: Object.fromEntries(pairs), value: Number(value!.replace('Inf', 'Infinity')) };
  });
}

/** Reads `/metrics`. Sends METRICS_TOKEN if the service has one. */
export async function scrapeMetrics(app: TestApp): Promise<MetricSample[]> {
  const token = app.environment.rawVariables['METRICS_TOKEN'];
  const { status, text, headers } = await app.call('GET', '/metrics', token === undefined ? {} : { token });
  expect([status, headers.get('content-type')]).toEqual([200, METRICS_CONTENT_TYPE]);
  return parseSamples(text);
}

/** The `Content-Type` header of a response in the Prometheus text format. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Returns the value of the only sample with this name and these labels, or undefined if there is none. */
export function findSampleValue(samples: readonly MetricSample[], name: string, labels: Record<string, string> = {}) {
  const isMeant = (sample: MetricSample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  const found = samples.filter(isMeant);
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0]?.value;
}

/**
 * Scrapes repeatedly until the samples are as expected. The service caches values from the database for three seconds.
 */
export async function waitForMetrics(
  app: TestApp,
  isExpected: (samples: MetricSample[]) => boolean,
): Promise<MetricSample[]> {
  let samples: MetricSample[] = [];
  await waitFor(async () => isExpected((samples = await scrapeMetrics(app))));
  return samples;
}
