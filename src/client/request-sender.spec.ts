import { getEventListeners } from 'node:events';
import type { PreparedRequest } from './request.js';
import { RequestSender } from './request-sender.js';

const request: PreparedRequest = {
  url: 'http://service/export',
  method: 'GET',
  headers: {},
  body: undefined,
  isRepeatable: true,
};

/** The signals with which requests were sent. */
let signals: (AbortSignal | null | undefined)[];
const sender = new RequestSender({
  baseUrl: 'http://service',
  token: 'token',
  fetch: async (_url, options) => {
    signals.push(options?.signal);
    return new Response('{}');
  },
});
beforeEach(() => (signals = []));

it('leaves no listener on the signal of the caller, who may use it for many requests', async () => {
  const { signal } = new AbortController();
  await sender.send(request, { signal });
  await (await sender.open(request, { signal })).text();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('aborts a response that is being read when the caller aborts', async () => {
  const controller = new AbortController();
  await sender.open(request, { signal: controller.signal });
  expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  controller.abort();
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

it('ends when the caller aborts while the token is fetched', async () => {
  const waiting = new RequestSender({ baseUrl: 'http://service', token: () => new Promise(() => undefined) });
  const controller = new AbortController();
  const call = waiting.send(request, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});
