import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { CitusNode } from '../../support/database/citus.js';
import { sendAll, timeCalls } from '../run/load.js';
import { cpuMicroseconds } from '../run/machine.js';
import { PRODUCT_VARIANT, ServerProcess } from '../run/server.js';
import { quantile } from '../run/statistics.js';
import { WORKLOADS, type RequestGenerator, type RequestSource, type Workload } from '../run/workloads.js';

const WARM_UP = 100;
/** Callers at the same time for the throughput. */
const CALLERS = 8;
const SERVICE = { username: 'scheduling_app', password: 'scheduling_app' };
const SEVERAL_SHARDS = 'multi-task query about to be executed';

/** The lookup of the Clinic of a person reaches all servers, once for each person and instance. */
const CLINIC_LOOKUP = /find_distributed_clinic\(\)/;
/** Jobs work on the Clinics of one server at a time, and therefore on all of its shards. */
const JOB_STATEMENT = /"clinic_id" = any\(\$1::bigint\[\]\)/;
const OPERATIONS = WORKLOADS.filter(({ name }) => name !== 'mixed');

/** Reads the week of each Care Provider in turn, whose Clinic the service does not know yet. */
const firstRequests: Workload = {
  name: 'first request',
  title: 'Read a week of a Care Provider whose Clinic was not looked up before',
  open: (scene) => {
    let careProvider = 0;
    return () => ({
      ...{ method: 'GET', path: '/gateway/profile/caregiver/week?from=2027-02-01' },
      headers: scene.careProviderHeaders((careProvider += 1)),
    });
  },
};

/** CPU time of one request, in milliseconds. */
type CpuOfRequest = { service: number; coordinator: number; workers: number };
export type OperationCost = {
  name: string;
  median: number;
  p99: number;
  cpu: CpuOfRequest;
  perSecond: number;
  /** Different statements that reached several shards. */
  severalShards: string[];
};
export type OperationCosts = readonly OperationCost[];

type Measured = {
  /** The URL of the owner. */
  url: string;
  /** The coordinator, or the only server, and the workers. */
  nodes: readonly CitusNode[];
  scene: RequestGenerator;
  careProviders: number;
  calls: number;
  tell: (text: string, done: number, all: number) => void;
};

/** Measures each operation: one call after another, then several at a time. */
export async function measureOperations(measured: Measured): Promise<OperationCosts> {
  const { url, nodes, scene, calls, tell } = measured;
  const service = await ServerProcess.start(PRODUCT_VARIANT, Object.assign(new URL(url), SERVICE).href);
  const costs: OperationCost[] = [];
  try {
    const first = firstRequests.open(scene) as RequestSource;
    tell(firstRequests.name, 0, OPERATIONS.length);
    costs.push(await measureOperation(service, nodes, firstRequests.name, first, calls));
    await sendAll(service.url, first, measured.careProviders - 2 * calls, CALLERS);
    for (const [index, workload] of OPERATIONS.entries()) {
      tell(workload.name, index, OPERATIONS.length);
      scene.restart(11);
      const source = await workload.open(scene);
      await timeCalls(service.url, source, WARM_UP);
      costs.push(await measureOperation(service, nodes, workload.name, source, calls));
    }
  } finally {
    await service.stop();
  }
  return costs;
}

async function measureOperation(
  service: ServerProcess,
  nodes: readonly CitusNode[],
  name: string,
  source: RequestSource,
  calls: number,
): Promise<OperationCost> {
  const [{ logFile }] = nodes as [CitusNode];
  const log = openSync(logFile, 'r');
  const { size: start } = fstatSync(log);
  const before = readCpu(service, nodes);
  const { milliseconds } = await timeCalls(service.url, source, calls);
  const after = readCpu(service, nodes);
  const begin = performance.now();
  await sendAll(service.url, source, calls, CALLERS);
  const seconds = (performance.now() - begin) / 1000;
  const added = Buffer.alloc(fstatSync(log).size - start);
  readSync(log, added, 0, added.length, start);
  closeSync(log);
  const per = (part: keyof CpuOfRequest) => (after[part] - before[part]) / calls;
  return {
    ...{ name, median: quantile(milliseconds, 0.5), p99: quantile(milliseconds, 0.99) },
    cpu: { service: per('service'), coordinator: per('coordinator'), workers: per('workers') },
    perSecond: calls / seconds,
    severalShards: findStatements(added.toString()),
  };
}

function readCpu(service: ServerProcess, [coordinator, ...workers]: readonly CitusNode[]): CpuOfRequest {
  const ofServer = ({ pid }: CitusNode) => cpuMicroseconds(pid, true) / 1000;
  return {
    service: service.cpu / 1000,
    coordinator: ofServer(coordinator!),
    workers: workers.reduce((sum, worker) => sum + ofServer(worker), 0),
  };
}

/** Each message of the log begins with the database and the role, unless it is of the server itself, and the process. */
function findStatements(log: string): string[] {
  const messages = log.split(/^(?=\w* \w* \d+ [A-Z]+:)/m).filter((text) => text.includes(` ${SERVICE.username} `));
  const processOf = (text: string) => text.split(' ')[2];
  const found = messages.flatMap((text, index) => {
    if (!text.includes(SEVERAL_SHARDS)) return [];
    const rest = messages.slice(index);
    const statement = rest.find((next) => next.includes(' STATEMENT:') && processOf(next) === processOf(text)) ?? text;
    if (CLINIC_LOOKUP.test(statement) || JOB_STATEMENT.test(statement)) return [];
    return [
      statement
        .replace(/^.*STATEMENT:\s*/, '')
        .replaceAll(/\s+/g, ' ')
        .slice(0, 160),
    ];
  });
  return [...new Set(found)];
}
