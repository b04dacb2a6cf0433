import autocannon from 'autocannon';
import { Agent, request } from 'node:http';
import type { BenchmarkRequest, RequestSource } from './workloads.js';

/** The result of a load. `latencies` are those of successful responses, in milliseconds. */
export type LoadResult = { answered: number; failed: number; seconds: number; latencies: number[] };

export const LOAD_CONNECTIONS = 32;

/** Generates the maximum load: each connection sends its next request as soon as the previous one is answered. */
export async function runFullLoad(url: string, source: RequestSource, seconds: number): Promise<LoadResult> {
  const latencies: number[] = [];
  let failed = 0;
  const begin = performance.now();
  const run = autocannon({
    url,
    connections: LOAD_CONNECTIONS,
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
 * Sends requests at a constant rate, independent of the server's speed. Durations are measured from the scheduled time
 * of a request, so they include waiting for a connection. autocannon is not used, because it sends all requests of a
 * second at once.
 */
export async function runSteadyLoad(
  url: string,
  source: RequestSource,
  rate: number,
  seconds: number,
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: LOAD_CONNECTIONS });
  const total = Math.max(1, Math.round(rate * seconds));
  const latencies: number[] = [];
  let failed = 0;
  const begin = performance.now();
  const pending: Promise<void>[] = [];
  for (let made = 0; made < total; made += 1) {
    const due = begin + (made / rate) * 1000;
    while (performance.now() < due) await pause(due - performance.now());
    const answered = sendRequest(agent, url, source()).then((ok) => {
      if (ok) latencies.push(performance.now() - due);
      else failed += 1;
    });
    pending.push(answered);
  }
  await Promise.all(pending);
  agent.destroy();
  return { answered: latencies.length, failed, seconds: (performance.now() - begin) / 1000, latencies };
}

/** The durations of requests in milliseconds, and the mean size of the answers. */
export type TimedCalls = { milliseconds: number[]; bytes: number };

/**
 * Sends requests one after another on one connection.
 *
 * @param warmUp number of requests before those that are measured
 */
export async function timeCalls(url: string, source: RequestSource, calls: number, warmUp = 0): Promise<TimedCalls> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const milliseconds: number[] = [];
  let bytes = 0;
  for (let call = 0; call < warmUp + calls; call += 1) {
    const begin = performance.now();
    const answer = await requireAnswer(agent, url, source());
    if (call < warmUp) continue;
    milliseconds.push(performance.now() - begin);
    bytes += answer.bytes;
  }
  agent.destroy();
  return { milliseconds, bytes: bytes / calls };
}

/** Sends a number of requests on several connections. */
export async function sendAll(url: string, source: RequestSource, calls: number, connections: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let left = calls;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await requireAnswer(agent, url, source());
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  agent.destroy();
}

/** Sends a request. Resolves to true if the response status is 2xx. */
export async function sendRequest(agent: Agent, url: string, request: BenchmarkRequest): Promise<boolean> {
  return isSuccess(await send(agent, url, request));
}

/** Sends a request that has to succeed. */
export async function requireAnswer(agent: Agent, url: string, request: BenchmarkRequest): Promise<Answer> {
  const answer = await send(agent, url, request);
  if (isSuccess(answer)) return answer;
  throw new Error(`${request.method} ${request.path} is answered with ${answer.status}`);
}

type Answer = { status: number; bytes: number };

const isSuccess = ({ status }: Answer) => status >= 200 && status < 300;

/** Sends a request. The status is 0 if there is no response. */
function send(agent: Agent, url: string, { method, path, headers, body }: BenchmarkRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const framed = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
    const call = request(url + path, { agent, method, headers: framed }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.on('end', () => resolve({ status: answer.statusCode!, bytes }));
    });
    call.on('error', () => resolve({ status: 0, bytes: 0 }));
    call.end(body);
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => (milliseconds < 2 ? setImmediate(resolve) : setTimeout(resolve, milliseconds - 1)));
}
