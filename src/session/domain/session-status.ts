/** What a Session can be. */
export const SESSION_STATUSES = ['SCHEDULED', 'PAUSED', 'COMPLETED', 'NO_SHOW', 'CANCELLED'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** What can be done to the state of a Session. */
export const SESSION_STEPS = ['complete', 'no-show', 'cancel', 'pause', 'resume', 'undo'] as const;
export type SessionStep = (typeof SESSION_STEPS)[number];

/**
 * All legal transitions; docs/api-guide.md shows the same table. PAUSED comes and goes with the series:
 * `undo` leads back to PAUSED while the series is paused.
 */
export const STATUS_TRANSITIONS: Readonly<Record<SessionStatus, Partial<Record<SessionStep, SessionStatus>>>> = {
  SCHEDULED: { complete: 'COMPLETED', 'no-show': 'NO_SHOW', cancel: 'CANCELLED', pause: 'PAUSED' },
  PAUSED: { cancel: 'CANCELLED', resume: 'SCHEDULED' },
  COMPLETED: { undo: 'SCHEDULED' },
  NO_SHOW: { undo: 'SCHEDULED' },
  CANCELLED: { undo: 'SCHEDULED' },
};

/** How long a record can be corrected by `undo`, in days after the step that it takes back. */
export const UNDO_PERIOD_DAYS = 30;

/** Why a caller cancels a Session. */
export const CALLER_CANCEL_REASONS = [
  'CLIENT_REQUEST',
  'CARE_PROVIDER_REQUEST',
  'ILLNESS',
  'SCHEDULING_ERROR',
  'TREATMENT_ENDED',
  'OTHER',
] as const;

/** Why a Session was cancelled: by a caller, or by the service itself, which goes by its own reasons later. */
export const CANCEL_REASONS = [...CALLER_CANCEL_REASONS, 'CLIENT_LEFT', 'CARE_PROVIDER_LEFT', 'PLAN_CHANGED'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
