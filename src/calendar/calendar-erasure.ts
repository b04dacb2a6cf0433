import { ofClinic, ofPerson, type ErasedRows } from '../shared/erasure/index.js';

/** All calendar links of the subject, including revoked ones. The link of an erased person returns 404. */
export const ERASED_CALENDAR_LINKS: readonly ErasedRows[] = [
  {
    countedAs: 'calendarLinks',
    table: 'calendar_link',
    CLIENT: ofPerson('client_id'),
    CARE_PROVIDER: ofPerson('caregiver_id'),
    CLINIC: ofClinic,
  },
];
