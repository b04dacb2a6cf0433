import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/* Pins processes to cores and reads their CPU time and memory. Works on Linux only. */

/** Clock ticks per second in /proc. The value is 100 on every Linux on which Node runs. */
const TICKS_PER_SECOND = 100;

export const hasTaskset = canRun('taskset', ['--version']);

/** The measured server has the first core to itself; everything else uses the other cores. */
export const CORE_ASSIGNMENT =
  availableParallelism() > 1 ? { server: '0', others: `1-${availableParallelism() - 1}` } : undefined;

/** The list of all cores, for measurements that need no core of their own. */
export const ALL_CORES = `0-${availableParallelism() - 1}`;

/** Pins a process and its future children to cores. Does nothing where that is not supported. */
export function pinToCores(pid: number, cores: string | undefined): void {
  if (!hasTaskset || cores === undefined || pid === 0) return;
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)], { stdio: 'pipe' });
}

/** Reads the CPU time of a process in microseconds, optionally with that of its running and ended children. */
export function cpuMicroseconds(pid: number, withChildren = false): number {
  const own = statOf(pid);
  if (own === undefined) return 0;
  const [user, system, childrenUser, childrenSystem] = own.times;
  const ticks = user + system + (withChildren ? childrenUser + childrenSystem + ticksOfChildren(pid) : 0);
  return (ticks / TICKS_PER_SECOND) * 1e6;
}

/** Reads the resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

export function describeMachine() {
  const [{ model } = { model: 'unknown' }] = cpus();
  return {
    cpu: model.trim(),
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    pinned: hasTaskset && CORE_ASSIGNMENT !== undefined,
    /** The load average of the last minute, which shows whether the machine was busy with other work before the run. */
    load: Math.round(loadavg()[0]! * 100) / 100,
  };
}
export type Machine = ReturnType<typeof describeMachine>;

export function canRun(command: string, parameters: readonly string[]): boolean {
  try {
    execFileSync(command, parameters, { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

function ticksOfChildren(parent: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === parent);
  return children.reduce((sum, stat) => sum + stat!.times[0] + stat!.times[1], 0);
}

/**
 * Reads /proc/<pid>/stat (see proc(5)). The name is in parentheses and may contain any character; after it come the
 * state, the parent and, from field 14 on, the times.
 */
function statOf(pid: number) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent: fields[1]!, times: fields.slice(11, 15) as [number, number, number, number] };
  } catch {
    return undefined;
  }
}
