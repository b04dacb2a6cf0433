import type { Reminder, Session } from '@care-scheduling/client';
import type { IconName, Tone } from '../ui/index.js';

type Status = Session['status'];

export type SessionAppearance = Status | 'UNRECORDED';

/**
 * Returns how to show a Session. A past Session without a recorded outcome is shown differently from an upcoming one.
 * @param at the current time
 */
export function toSessionAppearance(
  { status, endsAt }: Pick<Session, 'status' | 'endsAt'>,
  at: string,
): SessionAppearance {
  return status === 'SCHEDULED' && endsAt <= at ? 'UNRECORDED' : status;
}

/** The colour of each state. States that share a colour have different icons (`SESSION_ICONS`). */
export const SESSION_TONES: Readonly<Record<SessionAppearance, Tone>> = {
  SCHEDULED: 'accent',
  PAUSED: 'neutral',
  COMPLETED: 'good',
  NO_SHOW: 'attention',
  CANCELLED: 'neutral',
  UNRECORDED: 'attention',
};

export const SESSION_ICONS: Readonly<Record<SessionAppearance, IconName>> = {
  SCHEDULED: 'calendar',
  PAUSED: 'pause',
  COMPLETED: 'check',
  NO_SHOW: 'warning',
  CANCELLED: 'close',
  UNRECORDED: 'clock',
};

export const REMINDER_TONES: Readonly<Record<Reminder['status'], Tone>> = {
  PENDING: 'accent',
  QUEUED: 'accent',
  SENT: 'good',
  DEAD: 'danger',
  WITHDRAWN: 'neutral',
  SKIPPED: 'attention',
};
