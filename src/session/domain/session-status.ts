export const SESSION_STATUSES = ['SCHEDULED', 'PAUSED', 'COMPLETED', 'NO_SHOW', 'CANCELLED'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** Operations that change the status of a Session. */
export const SESSION_STEPS = ['complete', 'no-show', 'cancel', 'pause', 'resume', 'undo'] as const;
export type SessionStep = (typeof SESSION_STEPS)[number];

/**
 * All legal status transitions, as in docs/api-guide.md. Only operations of the series set and end PAUSED. While the
 * series is paused, `undo` sets PAUSED instead of SCHEDULED.
 */
export const STATUS_TRANSITIONS: Readonly<Record<SessionStatus, Partial<Record<SessionStep, SessionStatus>>>> = {
  SCHEDULED: { complete: 'COMPLETED', 'no-show': 'NO_SHOW', cancel: 'CANCELLED', pause: 'PAUSED' },
  PAUSED: { cancel: 'CANCELLED', resume: 'SCHEDULED' },
  COMPLETED: { undo: 'SCHEDULED' },
  NO_SHOW: { undo: 'SCHEDULED' },
  CANCELLED: { undo: 'SCHEDULED' },
};

/** Number of days in which `undo` can revert the last status change. */
export const UNDO_PERIOD_DAYS = 30;

/** Reasons that a caller can give for a cancellation. */
export const CALLER_CANCEL_REASONS = [
  'CLIENT_REQUEST',
  'CARE_PROVIDER_REQUEST',
  'ILLNESS',
  'SCHEDULING_ERROR',
  'TREATMENT_ENDED',
  'OTHER',
] as const;

/** All reasons for a cancellation. The additional ones are set by the service itself. */
export const CANCEL_REASONS = [...CALLER_CANCEL_REASONS, 'CLIENT_LEFT', 'CARE_PROVIDER_LEFT', 'PLAN_CHANGED'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
