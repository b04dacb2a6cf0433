import { WORKLOADS } from './workloads.js';

/* The names that `--only` accepts. */

const WORKLOAD_NAMES = WORKLOADS.map(({ name }) => name);

export const BY_DEFAULT: readonly string[] = [...WORKLOAD_NAMES, 'pgbench', 'drain', 'idle', 'start'];
export const ALL: readonly string[] = [...BY_DEFAULT, 'profile', 'growth', 'memory', 'names'];
