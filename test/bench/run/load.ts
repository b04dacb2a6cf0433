import autocannon from 'autocannon';
import { Agent, request } from 'node:http';
import type { Call, Source } from './workloads.js';

/** What a while of load has come to: times in milliseconds, of answers that were as they should be. */
export type Load = { answered: number; failed: number; seconds: number; latencies: number[] };

export const CONNECTIONS = 32;

/** As many calls as the server can answer: each connection makes the next one as soon as the last is answered. */
export async function fullLoad(url: string, source: Source, seconds: number): Promise<Load> {
  const latencies: number[] = [];
  let failed = 0;
  const begin = performance.now();
  const run = autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    sampleInt: 100,
    requests: [{ setupRequest: (template: object) => ({ ...template, ...source() }) }],
  });
  run.on('response', (_client: unknown, status: number, _bytes: number, milliseconds: number) => {
    if (status >= 200 && status < 300) latencies.push(milliseconds);
    else failed += 1;
  });
  const { errors, timeouts } = await run;
  const took = (performance.now() - begin) / 1000;
  return { answered: latencies.length, failed: failed + errors + timeouts, seconds: took, latencies };
}

/**
 * Calls at a rate, whatever the server does: a call that has to wait for a connection has waited, and its time counts
 * from when it should have been made. autocannon makes the calls of a second all at its beginning, so not by it.
 */
export async function steadyLoad(url: string, source: Source, rate: number, seconds: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const total = Math.max(1, Math.round(rate * seconds));
  const latencies: number[] = [];
  let failed = 0;
  const begin = performance.now();
  const pending: Promise<void>[] = [];
  for (let made = 0; made < total; made += 1) {
    const due = begin + (made / rate) * 1000;
    while (performance.now() < due) await pause(due - performance.now());
    const answered = send(agent, url, source()).then((ok) => {
      if (ok) latencies.push(performance.now() - due);
      else failed += 1;
    });
    pending.push(answered);
  }
  await Promise.all(pending);
  agent.destroy();
  return { answered: latencies.length, failed, seconds: (performance.now() - begin) / 1000, latencies };
}

/** True for an answer of the second hundred. */
export function send(agent: Agent, url: string, { method, path, headers, body }: Call): Promise<boolean> {
  return new Promise((resolve) => {
    const framed = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
    const call = request(url + path, { agent, method, headers: framed }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode! >= 200 && answer.statusCode! < 300));
    });
    call.on('error', () => resolve(false));
    call.end(body);
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => (milliseconds < 2 ? setImmediate(resolve) : setTimeout(resolve, milliseconds - 1)));
}
