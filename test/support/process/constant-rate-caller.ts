import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/*
 * Worker thread that calls a URL at a constant rate, independent of the server's speed. Response times are measured
 * from the scheduled time of each call. The calls run in a separate thread, because the thread of the test may be busy.
 * Node executes this file directly.
 */

export type ConstantRateLoad = { url: string; token: string; rate: number; seconds: number };

const { url, token, rate, seconds } = workerData as ConstantRateLoad;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const headers = { authorization: `bearer ${token}` };

function call(): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    sent.on('error', reject).end();
  });
}

const begin = performance.now();
const calls = Array.from({ length: Math.round(rate * seconds) }, async (_, made) => {
  const due = begin + (made / rate) * 1000;
  await delay(due - performance.now());
  const status = await call();
  if (status !== 200) throw new Error(`answered ${status}`);
  return performance.now() - due;
});
parentPort!.postMessage(await Promise.all(calls));
agent.destroy();
