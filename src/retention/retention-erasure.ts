import { rowsOfClinic, type RowsToErase } from '../shared/erasure/index.js';

/** The retention settings, which the erasure of a Clinic deletes. */
export const RETENTION_SETTING_ROWS_TO_ERASE: readonly RowsToErase[] = [
  { table: 'retention_setting', CLINIC: rowsOfClinic },
];
