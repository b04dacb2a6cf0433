import type { Reminder } from '@care-scheduling/client';
import type { Tone } from '../ui/index.js';

/** The colour of each status of a reminder. */
export const REMINDER_STATUS_TONES: Readonly<Record<Reminder['status'], Tone>> = {
  PENDING: 'accent',
  QUEUED: 'accent',
  SENT: 'good',
  DEAD: 'danger',
  WITHDRAWN: 'neutral',
  SKIPPED: 'attention',
};
