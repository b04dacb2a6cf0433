/** What the events of a calendar are called: a neutral word, or what the Session itself says. */
export const TITLE_VISIBILITIES = ['DISCREET', 'FULL'] as const;
export type TitleVisibility = (typeof TITLE_VISIBILITIES)[number];
