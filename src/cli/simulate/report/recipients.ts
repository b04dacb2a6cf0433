import type { ReminderType } from './weekly-events.js';

/** The texts that name the recipient of each type of reminder. */
export const RECIPIENT_OF_REMINDER_TYPE: Readonly<Record<ReminderType, string>> = {
  CLIENT_SESSION: 'Client',
  CLIENT_HOMEWORK: 'Client',
  CARE_PROVIDER: 'Care Provider',
};
