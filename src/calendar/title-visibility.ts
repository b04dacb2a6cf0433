/** Titles of calendar events: DISCREET shows a neutral word, FULL the title and description of the Session. */
export const TITLE_VISIBILITIES = ['DISCREET', 'FULL'] as const;
export type TitleVisibility = (typeof TITLE_VISIBILITIES)[number];
