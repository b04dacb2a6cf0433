import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Call = { functionName: string; url: string; lineNumber: number };
type Node = { id: number; callFrame: Call; children?: number[] };
type CpuProfile = { nodes: Node[]; samples: number[]; timeDeltas: number[] };

/** A function and its share of the process's CPU time, including the functions that it has called. */
export type FlameNode = { name: string; of: string; share: number; children: FlameNode[] };

/** The distribution of CPU time while the process was not idle. */
export type CpuTimeShares = { packages: Map<string, number>; flame: FlameNode };

/** Functions with a smaller share of the time are not drawn. */
const LEAST_SHARE = 0.003;

/** Provides Node options that make a server write a CPU profile when it exits, and reads the profile. */
export class Profile {
  private readonly directory = mkdtempSync(join(tmpdir(), 'care-bench-'));
  readonly node = ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${this.directory}`];

  /**
   * Reads the profile after the server has exited. Only the last seconds count; earlier ones are startup and warm-up.
   */
  read(lastSeconds: number): CpuTimeShares {
    const [file] = readdirSync(this.directory).sort();
    const profile = JSON.parse(readFileSync(join(this.directory, file!), 'utf8')) as CpuProfile;
    rmSync(this.directory, { recursive: true });
    return hotspotsOf(profile, lastSeconds);
  }
}

function hotspotsOf({ nodes, samples, timeDeltas }: CpuProfile, lastSeconds: number): CpuTimeShares {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const own = new Map<number, number>();
  const end = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  let [at, all] = [0, 0];
  samples.forEach((id, index) => {
    const delta = timeDeltas[index]!;
    at += delta;
    if (at < end - lastSeconds * 1e6 || byId.get(id)!.callFrame.functionName === '(idle)') return;
    all += delta;
    own.set(id, (own.get(id) ?? 0) + delta);
  });
  const packages = new Map<string, number>();
  for (const [id, time] of own) {
    const { of } = placeOf(byId.get(id)!.callFrame);
    packages.set(of, (packages.get(of) ?? 0) + time / all);
  }
  const flameOf = (node: Node): FlameNode => {
    const children = (node.children ?? []).map((id) => flameOf(byId.get(id)!));
    const share = children.reduce((sum, child) => sum + child.share, (own.get(node.id) ?? 0) / all);
    const { name, of } = placeOf(node.callFrame);
    return { name, of, share, children: children.filter((child) => child.share >= LEAST_SHARE) };
  };
  return { packages, flame: flameOf(nodes[0]!) };
}

function placeOf({ functionName, url, lineNumber }: Call): { name: string; of: string } {
  if (url === '') return { name: functionName, of: functionName.startsWith('(') ? 'V8' : 'Node' };
  const file = url.replace(/^file:\/\//, '').replace(`${process.cwd()}/`, '');
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  const name = `${functionName || '(anonymous)'} ${file.replace(/^.*node_modules\//, '')}:${lineNumber + 1}`;
  return { name, of: library ?? (file.startsWith('node:') ? 'Node' : 'the service itself') };
}
