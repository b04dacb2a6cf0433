import type { ReminderType } from './weekly-events.js';

/** Who is reminded in which lane. */
export const RECIPIENT_NAMES: Readonly<Record<ReminderType, string>> = {
  CLIENT_SESSION: 'Client',
  CLIENT_HOMEWORK: 'Client',
  CARE_PROVIDER: 'Care Provider',
};
