import { rowsOfClinic, type RowsToErase } from '../shared/erasure/index.js';

/**
 * Design Plans are erased only with their Clinic. They are the Clinic's work, even if a Care Provider has written them.
 */
export const DESIGN_PLAN_ROWS_TO_ERASE: readonly RowsToErase[] = [
  { table: 'design_plan_revision', CLINIC: rowsOfClinic },
  { countedAs: 'designPlans', table: 'design_plan', CLINIC: rowsOfClinic },
];
