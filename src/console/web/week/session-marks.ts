import type { WeekSession } from '@care-scheduling/client';
import type { IconName, Tone } from '../ui/index.js';

/*
 * Icons and colours that distinguish the statuses of Sessions and the Care Providers. A text always conveys the same
 * information.
 */

type Status = WeekSession['status'];

export const SESSION_STATUS_ICONS: Readonly<Record<Status, IconName>> = {
  SCHEDULED: 'calendar',
  PAUSED: 'pause',
  COMPLETED: 'check',
  NO_SHOW: 'absent',
  CANCELLED: 'close',
};

export const SESSION_STATUS_TONES: Readonly<Record<Status, Tone>> = {
  SCHEDULED: 'accent',
  PAUSED: 'neutral',
  COMPLETED: 'good',
  NO_SHOW: 'attention',
  CANCELLED: 'neutral',
};

/**
 * The number of colours. If there are more Care Providers, some share a colour and are distinguished by their initials.
 */
const COLOURS = 8;

/** Returns the number of a Care Provider's colour, from 1. It does not change when other Care Providers are hidden. */
export function findCareProviderColour(ids: readonly number[], id: number): number {
  return (Math.max(0, ids.indexOf(id)) % COLOURS) + 1;
}

/** Returns two letters, or a letter and a final number: `Care Provider 2` becomes `C2`. */
export function toInitials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = words.length < 2 ? takeCharacters(name.trim(), 2) : takeFirst(words[0]!) + takeFirst(words.at(-1)!);
  return letters.toLocaleUpperCase();
}

const takeFirst = (word: string) => takeCharacters(word, 1);

function takeCharacters(text: string, count: number): string {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
    .slice(0, count)
    .join('');
}

/** Whether a Session can be moved: it is upcoming, or its outcome has not been recorded. */
export function isMovable({ status }: Pick<WeekSession, 'status'>): boolean {
  return status === 'SCHEDULED' || status === 'PAUSED';
}
