import { setTimeout as delay } from 'node:timers/promises';
import { HaProxy } from '../support/process/haproxy.js';
import { LoadCounts, LoadWorker } from './load-worker.js';
import { findLostWrites, findRepeatedWrites, insertClinics } from './written-records.js';
import { Topology } from './topology.js';

/*
 * npm run test:topology: ten minutes of mixed load (LOAD_SECONDS) on three instances behind HAProxy, with a primary and
 * a replica. Meanwhile an instance is killed, the replica is stopped and started, and the primary is killed. Prints
 * what was lost, done twice, read stale, and cured by a retry. Ends with code 1 if an expectation is not met.
 */

const SECONDS = readSeconds();
const WORKERS = Number(process.env['LOAD_WORKERS'] ?? 12);
/** Time for the start, the last round and the verification, in seconds. After it, the run has failed. */
const MARGIN_SECONDS = 300;
/** The maximum time for the end of all processes, in seconds. */
const STOP_SECONDS = 30;
const PROGRESS_SECONDS = Math.max(2, Math.min(10, SECONDS / 20));

type Expectation = { text: string; value: string | number; holds: boolean };
/** @param at when it happens, as a share of the whole time */
type Fault = { at: number; text: string; run: (topology: Topology) => Promise<unknown> };

const FAULTS: readonly Fault[] = [
  { at: 0.1, text: 'an instance is killed', run: (topology) => topology.killInstance() },
  { at: 0.25, text: 'the instance is started', run: (topology) => topology.startInstance() },
  { at: 0.4, text: 'the replica is stopped', run: (topology) => topology.stopReplica() },
  { at: 0.55, text: 'the replica is started', run: (topology) => topology.startReplica() },
  { at: 0.7, text: 'the primary is killed, and the replica is promoted', run: (topology) => topology.failOver() },
];

function readSeconds(): number {
  const seconds = Number(process.env['LOAD_SECONDS'] ?? 600);
  if (seconds >= 30) return seconds;
  process.stderr.write('LOAD_SECONDS must be 30 or more.\n');
  process.exit(1);
}

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Counts after each phase: how many writes, and reads of the replica, belong to it. */
type Phase = { text: string; writes: number; replicaReads: number };

class Run {
  private readonly counts = new LoadCounts();
  private readonly workers: LoadWorker[];
  private readonly phases: Phase[] = [];
  private readonly begin = performance.now();

  constructor(private readonly topology: Topology) {
    this.workers = Array.from({ length: WORKERS }, (_, index) => new LoadWorker(index + 1, topology.url, this.counts));
  }

  async execute(): Promise<Expectation[]> {
    const work = Promise.all(this.workers.map((worker) => worker.run()));
    const progress = setInterval(() => void this.printProgress(), PROGRESS_SECONDS * 1000);
    try {
      for (const fault of FAULTS) await this.cause(fault);
      await this.waitUntil(1);
      await this.endPhase('after the failover');
    } finally {
      clearInterval(progress);
      this.workers.forEach((worker) => worker.finish());
    }
    await work;
    return this.listExpectations();
  }

  private async cause({ at, text, run }: Fault): Promise<void> {
    await this.waitUntil(at);
    await this.endPhase(`before ${text}`);
    print(`${this.clock()} ${text} …`);
    const begin = performance.now();
    await run(this.topology);
    print(`${this.clock()} ${text}: done after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  }

  private async endPhase(text: string): Promise<void> {
    const replicaReads = await this.topology.countReplicaReads();
    this.phases.push({ text, writes: this.counts.writes, replicaReads });
  }

  private async waitUntil(share: number): Promise<void> {
    await delay(Math.max(0, share * SECONDS * 1000 - (performance.now() - this.begin)));
  }

  private clock(): string {
    const seconds = Math.round((performance.now() - this.begin) / 1000);
    return `${Math.trunc(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }

  private async printProgress(): Promise<void> {
    const { requests, writes, cured, staleReads, failures } = this.counts;
    const reads = await this.topology.countReplicaReads();
    print(
      `${this.clock()} ${requests} requests, ${writes} writes, ${reads} reads of the replica; ${cured} cured by a retry, ${staleReads.length} stale, ${failures.length} failed`,
    );
  }

  private async listExpectations(): Promise<Expectation[]> {
    const { counts, topology } = this;
    const lost = await findLostWrites(topology.owner, this.workers);
    const repeated = await findRepeatedWrites(topology.owner);
    for (const line of [...lost, ...repeated, ...counts.staleReads, ...counts.failures].slice(0, 20))
      print(`  ${line}`);
    const nothing = (text: string, list: readonly string[]) => ({ text, value: list.length, holds: list.length === 0 });
    return [
      { text: 'requests', value: counts.requests, holds: counts.requests > 0 },
      {
        text: `requests that failed and a retry cured (at most ${counts.mostAttempts} attempts)`,
        ...{ value: counts.cured, holds: counts.cured > 0 },
      },
      nothing('requests that failed for good', counts.failures),
      { text: 'acknowledged writes', value: counts.writes, holds: counts.writes > 0 },
      nothing('acknowledged writes that are lost', lost),
      nothing('writes that were done twice', repeated),
      { text: 'reads directly after an own write', value: counts.ownReads, holds: counts.ownReads > 0 },
      nothing('of these without the own write', counts.staleReads),
      ...this.listPhases(),
    ];
  }

  /** In each phase there must be writes, and reads of the replica while it is there. */
  private listPhases(): Expectation[] {
    return this.phases.map(({ text, writes, replicaReads }, index) => {
      const before = this.phases[index - 1] ?? { writes: 0, replicaReads: 0 };
      const [written, read] = [writes - before.writes, replicaReads - before.replicaReads];
      const needsReplica = !['before the replica is started', 'after the failover'].includes(text);
      return {
        ...{ text: `${text}: writes, reads of the replica`, value: `${written}, ${read}` },
        holds: written > 0 && (read > 0 || !needsReplica),
      };
    });
  }
}

let topology: Topology | undefined;

async function main(): Promise<boolean> {
  if (!HaProxy.isInstalled) {
    print('HAProxy is not installed (Debian: apt-get install haproxy).');
    return false;
  }
  print(`${SECONDS} seconds of load by ${WORKERS} callers; servers and instances start`);
  topology = await Topology.start((owner) => insertClinics(owner, WORKERS));
  const expectations = await new Run(topology).execute();
  for (const { text, value, holds } of expectations) print(`${holds ? 'ok    ' : 'MISSED'} ${text}: ${value}`);
  return expectations.every(({ holds }) => holds);
}

/** Resolves when the run must end, although it is not done. */
async function interruption(): Promise<boolean> {
  const signal = new Promise<string>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve(name));
  });
  print(
    `MISSED the run has not ended: ${await Promise.race([signal, delay((SECONDS + MARGIN_SECONDS) * 1000, 'late')])}`,
  );
  return false;
}

const isMet = await Promise.race([main(), interruption()]).catch((error: unknown) => {
  print(error instanceof Error ? String(error.stack) : String(error));
  return false;
});
await Promise.race([topology?.stop(), delay(STOP_SECONDS * 1000)]).catch(() => undefined);
print(isMet ? 'SUCCESS' : 'FAILED');
process.exit(isMet ? 0 : 1);
