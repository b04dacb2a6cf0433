import { rowsOfClinic, type TextToErase } from '../../shared/erasure/index.js';

/** Accesses are kept after the erasure of their Clinic, because they show which administrator has read its data. */
export const ACCESS_REASONS_TO_ERASE: readonly TextToErase[] = [
  { table: 'administrator_access', column: 'reason', CLINIC: rowsOfClinic },
];
