/** What the events of a calendar are called: a neutral word, or what the Session itself says. */
export const CALENDAR_TITLES = ['DISCREET', 'FULL'] as const;
export type CalendarTitles = (typeof CALENDAR_TITLES)[number];
