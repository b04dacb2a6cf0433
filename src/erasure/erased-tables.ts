import { ERASED_ACCESS_REASONS, ERASED_TOKEN_HOLDERS } from '../auth/index.js';
import { ERASED_CALENDAR_LINKS } from '../calendar/index.js';
import { ERASED_DESIGN_PLANS } from '../design-plan/index.js';
import { ERASED_ASSIGNMENTS, ERASED_RECORDS } from '../directory/index.js';
import { ERASED_WITH_RECIPIENTS } from '../reminder/index.js';
import { ERASED_RESPONSES } from '../request/index.js';
import { ERASED_RETENTION_SETTINGS } from '../retention/index.js';
import { ERASED_TOMBSTONES, ERASED_WITH_SESSIONS } from '../session/index.js';
import { ofClinic, type ErasedRows, type ErasedText } from '../shared/erasure/index.js';

/** All rows that erasures delete, in the order in which foreign keys allow it. */
export const ERASED_TABLES: readonly ErasedRows[] = [
  // Stored responses are found by the Sessions that they name, so they are deleted before the Sessions.
  ...ERASED_RESPONSES,
  ...ERASED_CALENDAR_LINKS,
  ...ERASED_WITH_RECIPIENTS,
  ...ERASED_WITH_SESSIONS,
  ...ERASED_ASSIGNMENTS,
  ...ERASED_TOMBSTONES,
  ...ERASED_DESIGN_PLANS,
  ...ERASED_RECORDS,
  ...ERASED_RETENTION_SETTINGS,
  ...ERASED_TOKEN_HOLDERS,
  { table: 'legal_hold', CLINIC: ofClinic },
];

/** All texts that erasures overwrite in rows that they keep. */
export const ERASED_TEXTS: readonly ErasedText[] = [...ERASED_ACCESS_REASONS];
