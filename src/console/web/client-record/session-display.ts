import type { Session } from '@care-scheduling/client';
import type { IconName, Tone } from '../ui/index.js';

type Status = Session['status'];

export type SessionDisplayStatus = Status | 'UNRECORDED';

/**
 * Returns the status that is shown for a Session. A scheduled Session whose end has passed is shown as `UNRECORDED`,
 * because its outcome has not been recorded.
 *
 * @param at the current time
 */
export function toSessionDisplayStatus(
  { status, endsAt }: Pick<Session, 'status' | 'endsAt'>,
  at: string,
): SessionDisplayStatus {
  return status === 'SCHEDULED' && endsAt <= at ? 'UNRECORDED' : status;
}

/** The colour of each status. Statuses that share a colour have different icons. */
export const SESSION_DISPLAY_TONES: Readonly<Record<SessionDisplayStatus, Tone>> = {
  SCHEDULED: 'accent',
  PAUSED: 'neutral',
  COMPLETED: 'good',
  NO_SHOW: 'attention',
  CANCELLED: 'neutral',
  UNRECORDED: 'attention',
};

export const SESSION_DISPLAY_ICONS: Readonly<Record<SessionDisplayStatus, IconName>> = {
  SCHEDULED: 'calendar',
  PAUSED: 'pause',
  COMPLETED: 'check',
  NO_SHOW: 'warning',
  CANCELLED: 'close',
  UNRECORDED: 'clock',
};
