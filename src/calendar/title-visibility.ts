/** The texts of calendar events: DISCREET is only a neutral title, FULL the title and description of the Session. */
export const TITLE_VISIBILITIES = ['DISCREET', 'FULL'] as const;
export type TitleVisibility = (typeof TITLE_VISIBILITIES)[number];
