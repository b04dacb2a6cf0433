import type { SessionSnapshot } from '../../reminder/index.js';

export const SESSION_STATUSES = ['SCHEDULED', 'PAUSED', 'COMPLETED', 'NO_SHOW', 'CANCELLED'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** Operations that change the status of a Session. */
export const STATUS_OPERATIONS = ['complete', 'no-show', 'cancel', 'pause', 'resume', 'undo'] as const;
export type StatusOperation = (typeof STATUS_OPERATIONS)[number];

/**
 * All allowed status transitions (docs/api-guide.md, "Lifecycle of a Session"). Sessions are paused and resumed only
 * through their series. While a series is paused, `undo` sets a cancelled Session to PAUSED instead of SCHEDULED unless it
 * had started before the pause.
 */
export const STATUS_TRANSITIONS: Readonly<Record<SessionStatus, Partial<Record<StatusOperation, SessionStatus>>>> = {
  SCHEDULED: { complete: 'COMPLETED', 'no-show': 'NO_SHOW', cancel: 'CANCELLED', pause: 'PAUSED' },
  PAUSED: { cancel: 'CANCELLED', resume: 'SCHEDULED' },
  COMPLETED: { undo: 'SCHEDULED' },
  NO_SHOW: { undo: 'SCHEDULED' },
  CANCELLED: { undo: 'SCHEDULED' },
};

/** The phase of a Session from which the reminder module plans its reminders. */
export const REMINDER_PHASES: Readonly<Record<SessionStatus, SessionSnapshot['phase']>> = {
  SCHEDULED: 'AHEAD',
  PAUSED: 'PAUSED',
  COMPLETED: 'OVER',
  NO_SHOW: 'OVER',
  CANCELLED: 'CANCELLED',
};

/** Number of days within which `undo` can revert the last status change. */
export const UNDO_PERIOD_DAYS = 30;

/** Cancellation reasons that a caller can give. */
export const CALLER_CANCEL_REASONS = [
  'CLIENT_REQUEST',
  'CARE_PROVIDER_REQUEST',
  'ILLNESS',
  'SCHEDULING_ERROR',
  'TREATMENT_ENDED',
  'OTHER',
] as const;

/** All cancellation reasons, including those that only the service itself sets. */
export const CANCEL_REASONS = [...CALLER_CANCEL_REASONS, 'CLIENT_LEFT', 'CARE_PROVIDER_LEFT', 'PLAN_CHANGED'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
