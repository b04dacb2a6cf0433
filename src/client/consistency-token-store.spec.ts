import { createClient } from './client.js';

const FIRST = '000000010000000000000001';
const SECOND = '000000010000000000000002';
const THIRD = '000000010000000000000003';

type Answer = { token?: string; status?: number };

/** Creates a client whose requests stay unanswered until the test answers them. */
function connect() {
  const sent: { method: string; token: string | null; answer: (answer: Answer | 'lost') => void }[] = [];
  const client = createClient({
    baseUrl: 'http://localhost',
    token: 'token',
    retry: { limit: 0 },
    fetch: (_url, init) =>
      new Promise((resolve, reject) => {
        const { method, headers } = init as { method: string; headers: Record<string, string> };
        const answer = (given: Answer | 'lost') => {
          if (given === 'lost') {
            reject(new TypeError('fetch failed'));
            return;
          }
          const responseHeaders = {
            'content-type': 'application/json',
            ...(given.token === undefined ? {} : { 'consistency-token': given.token }),
          };
          resolve(new Response('{}', { status: given.status ?? 200, headers: responseHeaders }));
        };
        sent.push({ method, token: headers['consistency-token'] ?? null, answer });
      }),
  });
  const begin = async (call: () => PromiseLike<unknown>) => {
    const settled = Promise.resolve(call()).catch(() => undefined);
    const before = sent.length;
    while (sent.length === before) await Promise.resolve();
    const request = sent.at(-1)!;
    return { ...request, end: (answer: Answer | 'lost') => (request.answer(answer), settled) };
  };
  const write = () => begin(() => client.clinic.createClient({ body: { name: 'A' } }));
  const readToken = async () => {
    const read = await begin(() => client.clinic.listClients());
    await read.end({});
    return read.token;
  };
  return { begin, client, write, readToken };
}

it('sends the token of the last write with reads, of this client only', async () => {
  const [one, other] = [connect(), connect()];
  expect(await one.readToken()).toBeNull();
  await (await one.write()).end({ token: FIRST });
  expect(await one.readToken()).toBe(FIRST);
  expect(await other.readToken()).toBeNull();
  const next = await one.write();
  expect(next.token).toBeNull();
  await next.end({ token: SECOND });
  expect(await one.readToken()).toBe(SECOND);
});

it('keeps the later of two tokens whose responses arrive in the other order', async () => {
  const { write, readToken } = connect();
  const [first, second] = [await write(), await write()];
  await second.end({ token: SECOND });
  await first.end({ token: FIRST });
  expect(await readToken()).toBe(SECOND);
});

it.each<[string, Answer | 'lost']>([
  ['has no token', {}],
  ['is lost', 'lost'],
  ['is an error of the service', { status: 503 }],
])('sends no token after a write whose response %s, until a later write is answered', async (_what, answer) => {
  const { write, readToken } = connect();
  await (await write()).end({ token: FIRST });
  const [unknown, before] = [await write(), await write()];
  await unknown.end(answer);
  expect(await readToken()).toBeNull();
  // This write began before the write without a token was answered, so its token may be older than the missing one.
  await before.end({ token: SECOND });
  expect(await readToken()).toBeNull();
  await (await write()).end({ token: THIRD });
  expect(await readToken()).toBe(THIRD);
});

it('keeps the token after a refused write and after a dry run, which store nothing', async () => {
  const { begin, client, write, readToken } = connect();
  await (await write()).end({ token: FIRST });
  await (await write()).end({ status: 422 });
  const dryRun = await begin(() => client.clinic.cancelSession({ id: 1, dryRun: true, body: {} } as never));
  expect(dryRun.method).toBe('POST');
  await dryRun.end({});
  expect(await readToken()).toBe(FIRST);
});
