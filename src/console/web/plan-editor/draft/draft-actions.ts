import {
  createDraftKey,
  type PlanDraft,
  type DraftBook,
  type DraftReminder,
  type DraftTextFields,
  type DraftWeek,
} from './draft.js';

/* The actions that change a draft. Dragging, menus and keys use the same actions, so they have the same results. */

/** A week, and an index in its list of Books. If there is no index, the position is the end of the list. */
export type BookPosition = { weekKey: string; index?: number };

export type DraftAction =
  | { type: 'text'; field: keyof DraftTextFields; value: string }
  | { type: 'careProvider'; caregiverId: number | null }
  | { type: 'template'; template: boolean }
  | { type: 'addWeek' }
  | { type: 'nameWeek'; weekKey: string; name: string }
  | { type: 'duplicateWeek'; weekKey: string }
  | { type: 'removeWeek'; weekKey: string }
  | { type: 'moveWeek'; weekKey: string; index: number }
  | { type: 'renumber' }
  | { type: 'addBook'; bookId: number; targets: readonly BookPosition[] }
  | { type: 'moveBook'; bookKey: string; target: BookPosition }
  | { type: 'removeBook'; bookKey: string }
  | { type: 'reminders'; bookKey: string; reminders: readonly DraftReminder[] };

export function applyDraftAction(draft: PlanDraft, action: DraftAction): PlanDraft {
  switch (action.type) {
    case 'text':
      return { ...draft, [action.field]: action.value };
    case 'careProvider':
      return { ...draft, caregiverId: action.caregiverId };
    case 'template':
      return { ...draft, template: action.template };
    case 'addBook':
    case 'moveBook':
    case 'removeBook':
    case 'reminders':
      return withWeeks(draft, applyToBooks(draft.weeks, action));
    default:
      return withWeeks(draft, applyToWeeks(draft.weeks, action));
  }
}

type WeekAction = Extract<DraftAction, { type: `${string}Week` | 'renumber' }>;
type BookAction = Extract<DraftAction, { type: `${string}Book` | 'reminders' }>;

const withWeeks = (draft: PlanDraft, weeks: readonly DraftWeek[]): PlanDraft =>
  weeks === draft.weeks ? draft : { ...draft, weeks };

function applyToWeeks(weeks: readonly DraftWeek[], action: WeekAction): readonly DraftWeek[] {
  if (action.type === 'addWeek') return [...weeks, { key: createDraftKey(), name: '', ordering: null, books: [] }];
  if (action.type === 'renumber') return weeks.map((week) => ({ ...week, ordering: null }));
  const index = weeks.findIndex(({ key }) => key === action.weekKey);
  const week = weeks[index];
  if (week === undefined) return weeks;
  switch (action.type) {
    case 'nameWeek':
      return weeks.with(index, { ...week, name: action.name });
    case 'duplicateWeek':
      return weeks.toSpliced(index + 1, 0, copyWeek(week));
    case 'removeWeek':
      return weeks.toSpliced(index, 1);
    case 'moveWeek': {
      const place = clamp(action.index, weeks.length - 1);
      return place === index ? weeks : weeks.toSpliced(index, 1).toSpliced(place, 0, week);
    }
  }
}

function applyToBooks(weeks: readonly DraftWeek[], action: BookAction): readonly DraftWeek[] {
  if (action.type === 'addBook')
    return action.targets.reduce((current, target) => insertBook(current, target, createBook(action.bookId)), weeks);
  const { week, book } = findDraftBook(weeks, action.bookKey) ?? {};
  if (week === undefined || book === undefined) return weeks;
  const without = { ...week, books: week.books.filter(({ key }) => key !== book.key) };
  switch (action.type) {
    case 'removeBook':
      return replaceWeek(weeks, without);
    case 'moveBook':
      return insertBook(replaceWeek(weeks, without), action.target, book);
    case 'reminders': {
      const changed = { ...book, reminders: sortUniqueReminders(action.reminders) };
      return replaceWeek(weeks, { ...week, books: week.books.map((one) => (one === book ? changed : one)) });
    }
  }
}

/**
 * Inserts a Book. If the week already contains it, the reminders are merged, because a week contains each Book once.
 */
function insertBook(
  weeks: readonly DraftWeek[],
  { weekKey, index }: BookPosition,
  book: DraftBook,
): readonly DraftWeek[] {
  const week = weeks.find(({ key }) => key === weekKey);
  if (week === undefined) return weeks;
  const same = findMergedBook(weeks, book, weekKey);
  if (same === undefined) {
    const books = week.books.toSpliced(clamp(index ?? week.books.length, week.books.length), 0, book);
    return replaceWeek(weeks, { ...week, books });
  }
  const merged = { ...same, reminders: sortUniqueReminders([...same.reminders, ...book.reminders]) };
  return replaceWeek(weeks, { ...week, books: week.books.map((one) => (one === same ? merged : one)) });
}

/** Returns the Book of a week with which another one is merged when it enters the week. */
export function findMergedBook(
  weeks: readonly DraftWeek[],
  { key: ownKey, bookId: ownId }: DraftBook,
  weekKey: string,
): DraftBook | undefined {
  const week = weeks.find(({ key }) => key === weekKey);
  return week?.books.find(({ key, bookId }) => key !== ownKey && bookId === ownId);
}

export function findDraftBook(weeks: readonly DraftWeek[], bookKey: string) {
  for (const [weekIndex, week] of weeks.entries()) {
    const index = week.books.findIndex(({ key }) => key === bookKey);
    const book = week.books[index];
    if (book !== undefined) return { week, weekIndex, book, index };
  }
  return undefined;
}

/** Sorts reminders by day and time, and removes duplicates. */
export function sortUniqueReminders(reminders: readonly DraftReminder[]): readonly DraftReminder[] {
  const byTime = new Map(reminders.map((reminder) => [`${reminder.day} ${reminder.time}`, reminder]));
  return [...byTime].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, reminder]) => reminder);
}

const createBook = (bookId: number): DraftBook => ({ key: createDraftKey(), bookId, reminders: [] });

function copyWeek(week: DraftWeek): DraftWeek {
  const books = week.books.map((book) => ({ ...book, key: createDraftKey() }));
  return { ...week, key: createDraftKey(), ordering: null, books };
}

function replaceWeek(weeks: readonly DraftWeek[], changed: DraftWeek): readonly DraftWeek[] {
  return weeks.map((week) => (week.key === changed.key ? changed : week));
}

const clamp = (index: number, max: number) => Math.min(Math.max(index, 0), max);
