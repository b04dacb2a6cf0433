import type { PlanDraft, DraftWeek } from './draft.js';

/* Checks a plan against the service's rules before it is sent, so that errors are shown sooner. */

export const MAX_PLAN_WEEKS = 104;
export const MAX_BOOKS_PER_WEEK = 50;
export const MAX_REMINDERS_PER_BOOK = 20;
export const MAX_PLAN_NAME_LENGTH = 200;
export const MAX_PLAN_DESCRIPTION_LENGTH = 4_000;

/** The place in the draft where an error occurred: the name of a plan field, or the key of a week or a Book. */
export type DraftErrorPlace = string;
export type DraftRuleViolation =
  { place: DraftErrorPlace; rule: 'empty' } | { place: DraftErrorPlace; rule: 'long' | 'many'; max: number };

export const toWeekNamePlace = (weekKey: string): DraftErrorPlace => `${weekKey} name`;

export function findDraftRuleViolations(draft: PlanDraft): readonly DraftRuleViolation[] {
  return [
    ...(draft.planName.trim() === '' ? [{ place: 'planName', rule: 'empty' } as const] : []),
    ...checkLength('planName', draft.planName.trim(), MAX_PLAN_NAME_LENGTH),
    ...checkLength('appointmentTitle', draft.appointmentTitle, MAX_PLAN_NAME_LENGTH),
    ...checkLength('appointmentDesc', draft.appointmentDesc, MAX_PLAN_DESCRIPTION_LENGTH),
    ...checkCount('weeks', draft.weeks, MAX_PLAN_WEEKS),
    ...draft.weeks.flatMap(checkWeek),
  ];
}

function checkWeek({ key, name, books }: DraftWeek): readonly DraftRuleViolation[] {
  return [
    ...checkLength(toWeekNamePlace(key), name, MAX_PLAN_NAME_LENGTH),
    ...checkCount(key, books, MAX_BOOKS_PER_WEEK),
    ...books.flatMap((book) => checkCount(book.key, book.reminders, MAX_REMINDERS_PER_BOOK)),
  ];
}

function checkLength(place: DraftErrorPlace, value: string, max: number): readonly DraftRuleViolation[] {
  return countCodePoints(value) > max ? [{ place, rule: 'long', max }] : [];
}

/** Counts code points, as the service does, and not UTF-16 code units. */
function countCodePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

function checkCount(place: DraftErrorPlace, list: readonly unknown[], max: number): readonly DraftRuleViolation[] {
  return list.length > max ? [{ place, rule: 'many', max }] : [];
}

/**
 * Maps the service's errors to places in the draft that was sent. Places are keys instead of JSON pointers, because the
 * user may have moved weeks and Books since.
 */
export function mapErrorsToPlaces(
  errors: Readonly<Record<string, string>>,
  { weeks }: PlanDraft,
): { places: Readonly<Record<DraftErrorPlace, string>>; others: Readonly<Record<string, string>> } {
  const places: Record<DraftErrorPlace, string> = {};
  const others: Record<string, string> = {};
  for (const [pointer, detail] of Object.entries(errors)) {
    const place = toPlace(pointer.split('/').slice(1), weeks);
    if (place === undefined) others[pointer] = detail;
    else places[place] = places[place] === undefined ? detail : `${places[place]}; ${detail}`;
  }
  return { places, others };
}

const FIELDS: ReadonlySet<string> = new Set(['planName', 'appointmentTitle', 'appointmentDesc', 'caregiverId']);

function toPlace(parts: readonly string[], weeks: readonly DraftWeek[]): DraftErrorPlace | undefined {
  const [field = '', weekIndex, member, bookIndex] = parts;
  if (FIELDS.has(field)) return field;
  if (field !== 'weeks') return undefined;
  if (weekIndex === undefined) return 'weeks';
  const week = weeks[Number(weekIndex)];
  if (member === 'name' && week !== undefined) return toWeekNamePlace(week.key);
  return bookIndex === undefined ? week?.key : week?.books[Number(bookIndex)]?.key;
}
