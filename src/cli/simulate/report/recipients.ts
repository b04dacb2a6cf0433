import type { ReminderType } from './weekly-events.js';

/** The recipient for each reminder type. */
export const RECIPIENT_NAMES: Readonly<Record<ReminderType, string>> = {
  CLIENT_SESSION: 'Client',
  CLIENT_HOMEWORK: 'Client',
  CARE_PROVIDER: 'Care Provider',
};
