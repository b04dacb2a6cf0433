import type { simulate } from './simulate.js';

/** Loads Temporal if the browser lacks it, and then the simulation, which needs Temporal when it is imported. */
export async function loadSimulate(): Promise<typeof simulate> {
  if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');
  return (await import('./simulate.js')).simulate;
}
