import { rowsOfClinic, rowsOfPerson, type RowsToErase } from '../shared/erasure/index.js';

/** All calendar links of the subject, including revoked ones. The link of an erased person returns 404. */
export const CALENDAR_LINK_ROWS_TO_ERASE: readonly RowsToErase[] = [
  {
    countedAs: 'calendarLinks',
    table: 'calendar_link',
    CLIENT: rowsOfPerson('client_id'),
    CARE_PROVIDER: rowsOfPerson('caregiver_id'),
    CLINIC: rowsOfClinic,
  },
];
