import type { ReminderType } from './weekly-events.js';

/** The recipient of each type of reminder. */
export const RECIPIENT_NAMES: Readonly<Record<ReminderType, string>> = {
  CLIENT_SESSION: 'Client',
  CLIENT_HOMEWORK: 'Client',
  CARE_PROVIDER: 'Care Provider',
};
