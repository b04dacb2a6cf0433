import { ACCESS_REASONS_TO_ERASE, REVOKED_TOKEN_HOLDER_ROWS_TO_ERASE } from '../auth/index.js';
import { CALENDAR_LINK_ROWS_TO_ERASE } from '../calendar/index.js';
import { DESIGN_PLAN_ROWS_TO_ERASE } from '../design-plan/index.js';
import { ASSIGNMENT_ROWS_TO_ERASE, DIRECTORY_ROWS_TO_ERASE } from '../directory/index.js';
import { RECIPIENT_ROWS_TO_ERASE } from '../reminder/index.js';
import { STORED_RESPONSE_ROWS_TO_ERASE } from '../request/index.js';
import { TOMBSTONE_ROWS_TO_ERASE, SESSION_ROWS_TO_ERASE } from '../session/index.js';
import { rowsOfClinic, type RowsToErase, type TextToErase } from '../shared/erasure/index.js';

/**
 * All rows that erasures delete, in the order in which foreign keys allow it. The retention that a Clinic has chosen is
 * kept with its audit trail, because it also applies to the entries after the erasure.
 */
export const ALL_ROWS_TO_ERASE: readonly RowsToErase[] = [
  // Stored responses are found by the Sessions that they name, so they are deleted before the Sessions.
  ...STORED_RESPONSE_ROWS_TO_ERASE,
  ...CALENDAR_LINK_ROWS_TO_ERASE,
  ...RECIPIENT_ROWS_TO_ERASE,
  ...SESSION_ROWS_TO_ERASE,
  ...ASSIGNMENT_ROWS_TO_ERASE,
  ...TOMBSTONE_ROWS_TO_ERASE,
  ...DESIGN_PLAN_ROWS_TO_ERASE,
  ...REVOKED_TOKEN_HOLDER_ROWS_TO_ERASE,
  ...DIRECTORY_ROWS_TO_ERASE,
  { table: 'legal_hold', CLINIC: rowsOfClinic },
];

/** All texts that erasures overwrite in rows that they keep. */
export const ALL_TEXTS_TO_ERASE: readonly TextToErase[] = [...ACCESS_REASONS_TO_ERASE];
