import { ofClinic, type ErasedRows } from '../shared/erasure/index.js';

/** Design Plans are the work of the Clinic, also those that a Care Provider has written. */
export const ERASED_DESIGN_PLANS: readonly ErasedRows[] = [
  { table: 'design_plan_revision', CLINIC: ofClinic },
  { countedAs: 'designPlans', table: 'design_plan', CLINIC: ofClinic },
];
