import type { Draft, DraftWeek } from './draft.js';

/* Checks a plan against the service's rules before it is sent, so that errors are shown sooner. */

export const MAX_WEEKS = 104;
export const MAX_BOOKS_PER_WEEK = 50;
export const MAX_REMINDERS_PER_BOOK = 20;
export const MAX_NAME = 200;
export const MAX_DESCRIPTION = 4_000;

/** The place of an error: a field of the plan, or the key of a week or a Book. */
export type Place = string;
export type Finding = { place: Place; rule: 'empty' } | { place: Place; rule: 'long' | 'many'; max: number };

export const toNamePlace = (weekKey: string): Place => `${weekKey} name`;

export function checkDraft(draft: Draft): readonly Finding[] {
  return [
    ...(draft.planName.trim() === '' ? [{ place: 'planName', rule: 'empty' } as const] : []),
    ...checkLength('planName', draft.planName.trim(), MAX_NAME),
    ...checkLength('appointmentTitle', draft.appointmentTitle, MAX_NAME),
    ...checkLength('appointmentDesc', draft.appointmentDesc, MAX_DESCRIPTION),
    ...checkCount('weeks', draft.weeks, MAX_WEEKS),
    ...draft.weeks.flatMap(checkWeek),
  ];
}

function checkWeek({ key, name, books }: DraftWeek): readonly Finding[] {
  return [
    ...checkLength(toNamePlace(key), name, MAX_NAME),
    ...checkCount(key, books, MAX_BOOKS_PER_WEEK),
    ...books.flatMap((book) => checkCount(book.key, book.reminders, MAX_REMINDERS_PER_BOOK)),
  ];
}

function checkLength(place: Place, value: string, max: number): readonly Finding[] {
  return countCodePoints(value) > max ? [{ place, rule: 'long', max }] : [];
}

/** The service counts code points, not UTF-16 code units. */
function countCodePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

function checkCount(place: Place, list: readonly unknown[], max: number): readonly Finding[] {
  return list.length > max ? [{ place, rule: 'many', max }] : [];
}

/**
 * Maps the service's errors to places in the draft that was sent. Uses keys instead of JSON pointers, because weeks and
 * Books may be moved afterwards.
 */
export function placeErrors(
  errors: Readonly<Record<string, string>>,
  { weeks }: Draft,
): { places: Readonly<Record<Place, string>>; others: Readonly<Record<string, string>> } {
  const places: Record<Place, string> = {};
  const others: Record<string, string> = {};
  for (const [pointer, detail] of Object.entries(errors)) {
    const place = toPlace(pointer.split('/').slice(1), weeks);
    if (place === undefined) others[pointer] = detail;
    else places[place] = places[place] === undefined ? detail : `${places[place]}; ${detail}`;
  }
  return { places, others };
}

const FIELDS: ReadonlySet<string> = new Set(['planName', 'appointmentTitle', 'appointmentDesc', 'caregiverId']);

function toPlace(parts: readonly string[], weeks: readonly DraftWeek[]): Place | undefined {
  const [field = '', weekIndex, member, bookIndex] = parts;
  if (FIELDS.has(field)) return field;
  if (field !== 'weeks') return undefined;
  if (weekIndex === undefined) return 'weeks';
  const week = weeks[Number(weekIndex)];
  if (member === 'name' && week !== undefined) return toNamePlace(week.key);
  return bookIndex === undefined ? week?.key : week?.books[Number(bookIndex)]?.key;
}
