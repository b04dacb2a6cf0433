import type { Database } from './database.js';
import type { BenchOptions } from './options.js';
import type { FlameNode } from './profile.js';
import type { Figure } from './statistics.js';
import type { Scene } from './workloads.js';

/** What a part of the benchmark uses. */
export type Bench = {
  database: Database;
  options: BenchOptions;
  tell: (text: string, done?: number, all?: number) => void;
  /** Creates the rows that the requests of the workloads use, when it is first called. */
  scene: () => Promise<Scene>;
};

/** A measurement other than the throughput of the workloads. */
export type Part = { name: string; title: string; run: (bench: Bench) => Promise<Section> };

/** The results of a part: a table, charts, verdicts, and figures for further processing. */
export type Section = {
  name: string;
  title: string;
  header: readonly string[];
  rows: readonly (readonly string[])[];
  charts: readonly Chart[];
  verdicts: readonly Verdict[];
  notes: readonly string[];
  figures: unknown;
};

export type Verdict = { what: string; found: string; bound: string; holds: boolean };

/** A bar of a chart. `bound` is the minimum or maximum that the value should have. */
export type Bar = { name: string; figure: Figure; bound?: number };
/** A bar chart with groups of bars. With `own`, each group has its own scale. */
export type Bars = {
  kind: 'bars';
  title: string;
  unit: string;
  scale: 'own' | 'shared';
  groups: readonly { name: string; bars: readonly Bar[] }[];
};
export type Line = {
  kind: 'line';
  title: string;
  unit: string;
  xTitle: string;
  points: readonly { x: number; y: number }[];
};
export type FlameGraph = { kind: 'flame'; title: string; root: FlameNode };
export type Chart = Bars | Line | FlameGraph;

export function atLeast(what: string, found: number, bound: number): Verdict {
  return { what, found: found.toPrecision(3), bound: `≥ ${bound}`, holds: found >= bound };
}

export function atMost(what: string, found: number, bound: number): Verdict {
  return { what, found: found.toPrecision(3), bound: `≤ ${bound}`, holds: found <= bound };
}
