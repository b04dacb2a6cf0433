import { waitFor, type TestApp } from '../app/test-app.js';

/** One sample of the text format of Prometheus. */
export type Sample = { name: string; labels: Record<string, string>; value: number };

/** The samples of an answer of `/metrics`. */
export function samplesOf(text: string): Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of]) => [label!, of!]);
    return { name: name!, labels: Object.fromEntries(pairs), value: Number(value!.replace('Inf', 'Infinity')) };
  });
}

/** As Prometheus does it, with the token of scrapers where the service has one. */
export async function scrape(world: TestApp): Promise<Sample[]> {
  const token = world.environment.given['METRICS_TOKEN'];
  const { status, text, headers } = await world.call('GET', '/metrics', token === undefined ? {} : { token });
  expect([status, headers.get('content-type')]).toEqual([200, METRICS_TYPE]);
  return samplesOf(text);
}

/** The text format of Prometheus. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The value of the one sample with this name and these labels; undefined where there is none. */
export function valueOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}) {
  const isMeant = (sample: Sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  const found = samples.filter(isMeant);
  expect(found.length).toBeLessThanOrEqual(1);
  return found[0]?.value;
}

/** Scrapes until samples are as expected: readings of the database are shared by the scrapes of three seconds. */
export async function waitForMetrics(world: TestApp, isExpected: (samples: Sample[]) => boolean): Promise<Sample[]> {
  let samples: Sample[] = [];
  await waitFor(async () => isExpected((samples = await scrape(world))));
  return samples;
}
