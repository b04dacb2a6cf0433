/** Conditions that a change reports although it is not rejected. */
export const WARNING_KINDS = [
  'REMINDER_IN_THE_PAST',
  'QUIET_HOURS',
  'AFTER_DUE',
  'BEFORE_SESSION',
  'BOOK_WITHDRAWN',
  'TIME_SKIPPED',
  'DAYLIGHT_SAVING_SHIFT',
  'FIXED_OFFSET',
  'WEEK_IN_THE_PAST',
  'OUT_OF_ORDER',
] as const;

export type ScheduleWarning = {
  kind: (typeof WARNING_KINDS)[number];
  detail: string;
  /** Position in the series of the Session that the warning is about. */
  position?: number;
  /** `ordering` of the plan week that the warning is about. */
  planWeek?: number;
  bookId?: number;
};
