import type { simulatePlan } from './simulate-plan.js';

/** Loads Temporal if the browser lacks it, and then the simulation, which needs Temporal when it is imported. */
export async function loadPlanSimulation(): Promise<typeof simulatePlan> {
  if (!('Temporal' in globalThis)) await import('temporal-polyfill/global');
  return (await import('./simulate-plan.js')).simulatePlan;
}
