/** Kinds of conditions that the response reports as warnings. A change is not rejected because of them. */
export const WARNING_KINDS = [
  'REMINDER_IN_THE_PAST',
  'REMINDED_OF_FORMER_TIME',
  'NOT_TOLD_OF_CANCELLATION',
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

/** The words for the recipients of reminders in warnings. */
export const RECIPIENT_NAMES = { CLIENT: 'Client', CARE_PROVIDER: 'Care Provider' } as const;

export type ScheduleWarning = {
  kind: (typeof WARNING_KINDS)[number];
  detail: string;
  /** Position of the affected Session in its series. */
  position?: number;
  /** `ordering` of the affected plan week. */
  planWeek?: number;
  bookId?: number;
};
