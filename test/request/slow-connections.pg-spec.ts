import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from '../support/process/service-process.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { waitFor, TestApp } from '../support/app/test-app.js';
import { toKeyVariables } from '../support/app/test-keys.js';

/*
 * Tests that clients which keep connections open and send or read very slowly do not affect other clients.
 * SLOW_CONNECTIONS=500 SLOW_SECONDS=90 runs the full size; only then is the response time measured.
 */

const CONNECTIONS = repetitionCount('SLOW_CONNECTIONS', 100, 500);
const SECONDS = repetitionCount('SLOW_SECONDS', 6, 90);
const IS_FULL_SIZE = CONNECTIONS >= 500 && SECONDS >= 90;
const HEALTHY_PER_SECOND = 20;
const P99_MS = 500;
const PATH = '/gateway/profile/clinic/design-plan';

/**
 * A kind of slow client: the bytes that it sends first, the bytes that it repeats, and the time within which its
 * connection must be closed.
 */
type Slowness = { title: string; first: string; then: string; everyMs: number; closedWithinMs?: number };

let app: TestApp;
let instance: ServiceProcess;
let headers: { authorization: string };
let plan: string;
beforeAll(async () => {
  app = await TestApp.start();
  const { clinicToken: token, sharedBookId: bookId } = await app.createClinic();
  headers = { authorization: `bearer ${token}` };
  const { database } = app.environment;
  instance = await ServiceProcess.start({
    ...toKeyVariables(app.environment.encryption),
    DATABASE_URL: database.kind === 'postgresql' ? database.url : '',
    LOG_LEVEL: 'error',
  });
  // The plan has about 100 KB, so that a few responses fill the socket buffers of a client that does not read.
  const weeks = Array.from({ length: 100 }, () => ({ name: 'x'.repeat(200), assignments: Array(20).fill({ bookId }) }));
  plan = (await app.call('POST', PATH, { token, body: { planName: 'P', weeks } })).headers.get('location')!;
});
afterAll(async () => {
  await instance.terminate('SIGKILL');
  await app.stop();
});

/** Each limit is a timeout of src/shared/http/server.ts, plus its check interval and a margin for a busy machine. */
function slownesses(): Slowness[] {
  const common = `host: x\r\nauthorization: ${headers.authorization}\r\n`;
  const body = `content-type: application/json\r\ncontent-length: 100000\r\n\r\n{`;
  return [
    {
      title: 'headers without an end (slowloris)',
      first: `GET ${PATH} HTTP/1.1\r\n${common}`,
      ...{ then: 'x-slow: 1\r\n', everyMs: 1_000, closedWithinMs: 20_000 },
    },
    {
      title: 'a body byte by byte (R-U-Dead-Yet)',
      first: `POST ${PATH} HTTP/1.1\r\n${common}${body}`,
      ...{ then: ' ', everyMs: 1_000, closedWithinMs: 45_000 },
    },
    // This connection is closed after two minutes without progress, for which the test does not wait.
    { title: 'answers that are not read', first: '', then: `GET ${plan} HTTP/1.1\r\n${common}\r\n`, everyMs: 5_000 },
  ];
}

/** Connections of one kind of slow client, which are reopened whenever they are closed. */
class SlowCallers {
  readonly lifetimes: number[] = [];
  readonly said: string[] = [];
  private readonly open = new Set<Socket>();
  private isOver = false;

  constructor(
    readonly slowness: Slowness,
    connections: number,
  ) {
    // Connections are opened one after another, because many simultaneous ones would test something else.
    for (let n = 0; n < connections; n += 1) setTimeout(() => this.start(), (slowness.everyMs * n) / connections);
  }

  get left(): number {
    return this.open.size;
  }

  /** Opens no further connections. Open ones remain slow. */
  end(): void {
    this.isOver = true;
    if (this.slowness.closedWithinMs === undefined) for (const socket of this.open) socket.destroy();
  }

  private start(): void {
    const { first, then, everyMs, closedWithinMs } = this.slowness;
    const began = performance.now();
    const socket = connect(instance.port, '127.0.0.1', () => socket.write(first));
    const drip = setInterval(() => socket.write(then), everyMs);
    this.open.add(socket);
    if (closedWithinMs === undefined) socket.pause();
    else socket.on('data', (chunk) => this.said.push(chunk.toString().split('\r\n')[0]!));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(drip);
      this.open.delete(socket);
      this.lifetimes.push(performance.now() - began);
      if (!this.isOver) this.start();
    });
  }
}

/** Calls at a constant rate, whatever the outcome of earlier calls, until `end` is called. */
class HealthyCalls {
  readonly answers: Promise<{ status: number; ms: number }>[] = [];
  private readonly timer = setInterval(() => this.answers.push(this.call()), 1_000 / HEALTHY_PER_SECOND);

  end(): void {
    clearInterval(this.timer);
  }

  private async call() {
    const began = performance.now();
    const response = await fetch(instance.url + PATH, { headers });
    await response.arrayBuffer();
    return { status: response.status, ms: performance.now() - began };
  }
}

it(`answers others beside ${CONNECTIONS} slow connections for ${SECONDS} s, and closes what is slow`, async () => {
  const kinds = slownesses();
  const slow = kinds.map((kind, index) => new SlowCallers(kind, Math.ceil((CONNECTIONS - index) / kinds.length)));
  const healthy = new HealthyCalls();
  await sleep(SECONDS * 1_000);
  // All connections still exist, or exist again.
  expect(slow.reduce((sum, { left }) => sum + left, 0)).toBeGreaterThanOrEqual(CONNECTIONS);
  for (const callers of slow) callers.end();
  await waitFor(() => slow.every(({ left }) => left === 0));
  healthy.end();

  const answers = await Promise.all(healthy.answers);
  const times = answers.map(({ ms }) => ms).sort((one, other) => one - other);
  const p99 = times[Math.ceil(times.length * 0.99) - 1]!;
  const closed = slow.map(({ slowness, lifetimes }) => `${slowness.title}: ${lifetimes.length}`).join(', ');
  process.stdout.write(`${answers.length} healthy answers, p99 ${p99.toFixed(0)} ms; connections closed: ${closed}\n`);
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  for (const { slowness, lifetimes, said } of slow) {
    expect(Math.max(...lifetimes)).toBeLessThan(slowness.closedWithinMs ?? Infinity);
    expect([slowness.title, ...new Set(said)]).toEqual([
      slowness.title,
      ...(slowness.closedWithinMs === undefined ? [] : ['HTTP/1.1 408 Request Timeout']),
    ]);
  }
  if (IS_FULL_SIZE) expect(p99).toBeLessThan(P99_MS);
}, 600_000);

it('closes an unused connection without an answer', async () => {
  const said: Buffer[] = [];
  const socket = connect(instance.port, '127.0.0.1').on('data', (chunk) => said.push(chunk));
  await once(socket, 'close');
  expect(Buffer.concat(said).toString()).toBe('');
}, 60_000);
