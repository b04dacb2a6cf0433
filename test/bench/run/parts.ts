import { WORKLOADS } from './workloads.js';

/* The names that `--only` accepts. */

const WORKLOAD_NAMES = WORKLOADS.map(({ name }) => name);

export const DEFAULT_PARTS: readonly string[] = [...WORKLOAD_NAMES, 'pgbench', 'drain', 'idle', 'start'];
export const ALL_PARTS: readonly string[] = [
  ...DEFAULT_PARTS,
  'profile',
  'growth',
  'cluster',
  'memory',
  'names',
  'encryption',
  'cost',
];
