import { createClient } from './client.js';

const LINE = new TextEncoder().encode('{"section":"client","item":{}}\n');

/** Sends one line, and the next one never. */
const sendOneLine: typeof fetch = async (_url, options) => {
  const { signal } = options!;
  const body = new ReadableStream({
    start: (stream) => {
      stream.enqueue(LINE);
      signal!.addEventListener('abort', () => stream.error(signal!.reason));
    },
  });
  return new Response(body);
};

it('rejects with the reason of the signal if the caller aborts while the values are read', async () => {
  const controller = new AbortController();
  const { clinic } = createClient({ baseUrl: 'http://service', token: 'token', fetch: sendOneLine });
  const read = async () => {
    for await (const { section } of clinic.exportClient({ id: 1 }, { signal: controller.signal })) {
      expect(section).toBe('client');
      controller.abort(new Error('enough'));
    }
  };
  await expect(read()).rejects.toThrow('enough');
});
