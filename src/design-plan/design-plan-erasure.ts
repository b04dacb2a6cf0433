import { ofClinic, type ErasedRows } from '../shared/erasure/index.js';

/**
 * Design Plans are erased only with their Clinic. They are the Clinic's work, even if a Care Provider has written them.
 */
export const ERASED_DESIGN_PLANS: readonly ErasedRows[] = [
  { table: 'design_plan_revision', CLINIC: ofClinic },
  { countedAs: 'designPlans', table: 'design_plan', CLINIC: ofClinic },
];
