import { Agent } from 'node:http';
import type { BenchmarkDatabase } from './database.js';
import { LOAD_CONNECTIONS, runFullLoad, sendRequest, runSteadyLoad, type LoadResult } from './load.js';
import { servesWorkload, ServerProcess, type ServiceVariant } from './server.js';
import { computeFigure, quantile, type MedianAndRange } from './statistics.js';
import { DatabaseProxy } from './wire.js';
import type { RequestGenerator, RequestSource, Workload } from './workloads.js';

/** The results of one variant for one workload. Times are in milliseconds; CPU time is in microseconds per request. */
export type MeasuredVariant = {
  variant: string;
  workload: string;
  requestsPerSecond: MedianAndRange;
  p50: MedianAndRange;
  p99: MedianAndRange;
  steadyRate: MedianAndRange;
  steadyP50: MedianAndRange;
  steadyP99: MedianAndRange;
  serverCpu: MedianAndRange;
  databaseCpu: MedianAndRange;
  roundTrips: number;
  failed: number;
};

/** All measurements of one round. */
type Round = Record<
  'rate' | 'p50' | 'p99' | 'steadyRate' | 'steadyP50' | 'steadyP99' | 'serverCpu' | 'databaseCpu' | 'failed',
  number
>;

export type ThroughputOptions = { rounds: number; seconds: number };
type Tell = (text: string, done: number, all: number) => void;

const COUNTED_CALLS = 20;
/**
 * Warm-up before the first round, so that V8 has compiled the code: at least `seconds` and `calls`, at most `patience`
 * seconds. Requests become cheaper for a long time. For example, creating one Session took 792 µs at the 5,000th
 * request and 670 µs at the 30,000th (product), and 454 and 405 µs (yardstick); reading a plan took 826 µs at the
 * 13,000th and 635 µs at the 58,000th (product), and 545 and 495 µs (yardstick).
 */
const WARM_UP = { seconds: 3, calls: 50_000, patience: 45 };
/**
 * Minimum number of requests. On a busy machine, a server is measured for longer, because few requests give no reliable
 * result.
 */
const LEAST = { calls: 300, times: 8 };
/**
 * Seconds of load before each round that are not measured, because the server has just been resumed. After a pause of 15
 * seconds, the product answered half as many requests in the first half second as two seconds later. The yardstick was
 * not slower.
 */
const WAKE_UP = 2;

/**
 * Measures the workloads of all variants in interleaved rounds, so that other load on the machine affects all variants
 * alike.
 */
export class Throughput {
  constructor(
    private readonly database: BenchmarkDatabase,
    private readonly scene: RequestGenerator,
    private readonly variants: readonly ServiceVariant[],
    private readonly options: ThroughputOptions,
    private readonly tell: Tell,
  ) {}

  async run(workloads: readonly Workload[]): Promise<MeasuredVariant[]> {
    const trips = await this.countRoundTrips(workloads);
    const servers = await this.start();
    const measured: MeasuredVariant[] = [];
    const serving = ({ name }: Workload) => servers.filter(({ variant }) => servesWorkload(variant, name));
    const all = workloads.flatMap(serving).length * this.options.rounds;
    let done = 0;
    for (const workload of workloads) {
      const own = serving(workload);
      const rounds = new Map(own.map((server): [ServerProcess, Round[]] => [server, []]));
      for (const server of own) {
        this.tell(`${workload.name}: ${server.variant.name} warms up`, done, all);
        await this.awake(server, () => this.warmUp(server, workload));
      }
      await this.database.runMaintenance();
      for (let round = 1; round <= this.options.rounds; round += 1) {
        // The order alternates, so that no variant always comes first.
        for (const server of round % 2 === 1 ? own : own.toReversed()) {
          this.tell(`${workload.name}: ${server.variant.name}, round ${round} of ${this.options.rounds}`, done, all);
          rounds.get(server)!.push(await this.awake(server, () => this.round(server, workload, round)));
          done += 1;
        }
      }
      for (const [{ variant }, results] of rounds)
        measured.push(summaryOf(variant, workload, trips.get(`${variant.name} ${workload.name}`)!, results));
    }
    for (const server of servers) await server.stop();
    return measured;
  }

  /** Counts the round trips of single calls, with a separate process whose database traffic is recorded. */
  private async countRoundTrips(workloads: readonly Workload[]): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const variant of this.variants) {
      const wire = await DatabaseProxy.open(this.database.urlOf(variant.database));
      const server = await ServerProcess.start(variant, wire.url);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (const workload of workloads.filter(({ name }) => servesWorkload(variant, name))) {
        this.tell(`${workload.name}: ${variant.name}, round trips`, 0, 1);
        this.scene.restart(0);
        const source = await workload.open(this.scene);
        await sendRequest(agent, server.url, source());
        wire.take();
        for (let call = 0; call < COUNTED_CALLS; call += 1) {
          if (!(await sendRequest(agent, server.url, source())))
            throw new Error(`${variant.name} fails at ${workload.name}`);
        }
        counts.set(`${variant.name} ${workload.name}`, wire.take().roundTrips / COUNTED_CALLS);
      }
      agent.destroy();
      await server.stop();
      wire.close();
    }
    return counts;
  }

  private async start(): Promise<ServerProcess[]> {
    const servers: ServerProcess[] = [];
    for (const variant of this.variants) {
      const server = await ServerProcess.start(variant, this.database.urlOf(variant.database));
      server.pause();
      servers.push(server);
    }
    return servers;
  }

  private async awake<T>(server: ServerProcess, work: () => Promise<T>): Promise<T> {
    server.resume();
    try {
      return await work();
    } finally {
      await this.database.waitUntilQuiet().finally(() => server.pause());
    }
  }

  private async open(workload: Workload, seed: number): Promise<RequestSource> {
    await this.database.waitUntilQuiet();
    this.scene.restart(seed);
    return workload.open(this.scene);
  }

  private async load(server: ServerProcess, workload: Workload, seed: number, seconds: number): Promise<LoadResult> {
    return runFullLoad(server.url, await this.open(workload, seed), seconds);
  }

  private async warmUp(server: ServerProcess, workload: Workload): Promise<void> {
    let calls = 0;
    for (let seconds = 0; calls < WARM_UP.calls && seconds < WARM_UP.patience; seconds += WARM_UP.seconds)
      calls += (await this.load(server, workload, -1000 - seconds, WARM_UP.seconds)).answered;
  }

  private async runFullLoad(server: ServerProcess, workload: Workload, round: number): Promise<LoadResult> {
    const whole: LoadResult = { answered: 0, failed: 0, seconds: 0, latencies: [] };
    for (let time = 0; time < LEAST.times && whole.answered < LEAST.calls; time += 1) {
      const part = await this.load(server, workload, round + time * 100, this.options.seconds);
      whole.answered += part.answered;
      whole.failed += part.failed;
      whole.seconds += part.seconds;
      whole.latencies.push(...part.latencies);
    }
    return whole;
  }

  private async round(server: ServerProcess, workload: Workload, round: number): Promise<Round> {
    await this.load(server, workload, -round, WAKE_UP);
    // Waits until no work is in progress, so that its CPU time is not counted.
    await this.database.waitUntilQuiet();
    const [server0, database0] = [server.cpu, this.database.cpu];
    const full = await this.runFullLoad(server, workload, round);
    const [serverCpu, databaseCpu] = [server.cpu - server0, this.database.cpu - database0];
    const rate = full.answered / full.seconds;
    const steadySource = await this.open(workload, 1000 + round);
    const steady = await runSteadyLoad(server.url, steadySource, rate / 2, this.options.seconds);
    return {
      rate,
      p50: quantile(full.latencies, 0.5),
      p99: quantile(full.latencies, 0.99),
      steadyRate: rate / 2,
      steadyP50: quantile(steady.latencies, 0.5),
      steadyP99: quantile(steady.latencies, 0.99),
      // Requests in progress at the end have also used CPU time. On average, this is half of their cost.
      serverCpu: serverCpu / (full.answered + LOAD_CONNECTIONS / 2),
      databaseCpu: databaseCpu / (full.answered + LOAD_CONNECTIONS / 2),
      failed: full.failed + steady.failed,
    };
  }
}

function summaryOf(
  variant: ServiceVariant,
  workload: Workload,
  roundTrips: number,
  rounds: readonly Round[],
): MeasuredVariant {
  const figure = (key: keyof Round) => computeFigure(rounds.map((round) => round[key]));
  return {
    variant: variant.name,
    workload: workload.name,
    requestsPerSecond: figure('rate'),
    p50: figure('p50'),
    p99: figure('p99'),
    steadyRate: figure('steadyRate'),
    steadyP50: figure('steadyP50'),
    steadyP99: figure('steadyP99'),
    serverCpu: figure('serverCpu'),
    databaseCpu: figure('databaseCpu'),
    roundTrips,
    failed: rounds.reduce((sum, round) => sum + round.failed, 0),
  };
}
