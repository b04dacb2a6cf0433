import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  startTime: number;
  samples: number[];
  timeDeltas: number[];
};

/** Where CPU time went: shares of all samples in which the process was not idle. */
export type Hotspots = { functions: [string, number][]; packages: [string, number][] };

/** Options of Node with which a server writes what it has spent its time on when it ends. */
export class Profile {
  private readonly directory = mkdtempSync(join(tmpdir(), 'care-bench-'));
  readonly node = ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${this.directory}`];

  /** After the server has ended. What came before the last so many seconds of its life was start and warming up. */
  read(lastSeconds: number): Hotspots {
    const [file] = readdirSync(this.directory).sort();
    const profile = JSON.parse(readFileSync(join(this.directory, file!), 'utf8')) as CpuProfile;
    rmSync(this.directory, { recursive: true });
    return hotspotsOf(profile, lastSeconds);
  }
}

function hotspotsOf({ nodes, samples, timeDeltas }: CpuProfile, lastSeconds: number): Hotspots {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const packages = new Map<string, number>();
  const end = timeDeltas.reduce((sum, delta) => sum + delta, 0);
  let [at, all] = [0, 0];
  samples.forEach((id, index) => {
    const { functionName, url, lineNumber } = frames.get(id)!;
    const delta = timeDeltas[index]!;
    at += delta;
    if (at < end - lastSeconds * 1e6 || functionName === '(idle)') return;
    all += delta;
    const place = placeOf(url);
    const name = url === '' ? functionName : `${functionName || '(anonymous)'} ${place.file}:${lineNumber + 1}`;
    functions.set(name, (functions.get(name) ?? 0) + delta);
    packages.set(place.of, (packages.get(place.of) ?? 0) + delta);
  });
  const shares = (counts: Map<string, number>, most: number) =>
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([name, time]): [string, number] => [name, time / all]);
  return { functions: shares(functions, 40), packages: shares(packages, 20) };
}

function placeOf(url: string): { of: string; file: string } {
  if (url === '') return { of: 'V8 (program, garbage collection)', file: '' };
  const file = url.replace(/^file:\/\//, '').replace(`${process.cwd()}/`, '');
  const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  const of = name ?? (file.startsWith('node:') ? 'Node' : 'the service itself');
  return { of, file: file.replace(/^.*node_modules\//, '') };
}
