import type { DesignPlanDiff, PlacedReminder } from '@care-scheduling/client';

/* Groups the differences between two revisions by week. */

export type ChangeKind = 'added' | 'removed' | 'changed' | 'movedIn' | 'movedOut';

export type ReminderChange = {
  kind: 'added' | 'removed' | 'moved';
  day: number;
  time: string;
  /** The previous day and time of a moved reminder. */
  from?: { day: number; time: string };
};
export type BookChange = {
  bookId: number;
  kind: ChangeKind;
  /** The other week of a moved Book. */
  otherWeek?: number;
  reminders: readonly ReminderChange[];
};
/** A change of a week itself. Without one, only Books of the week have changed. */
export type WeekNameChange = {
  kind: ChangeKind;
  name: string;
  /** The previous name of a renamed week. */
  formerName?: string;
  /** The other number of a moved week. */
  otherWeek?: number;
};
export type WeekChange = {
  ordering: number;
  /** Two changes if one week has left the number, and another week has it now. */
  names: readonly WeekNameChange[];
  books: readonly BookChange[];
};

type OpenWeek = { ordering: number; names: WeekNameChange[]; books: Map<number, OpenBook> };
type OpenBook = Omit<BookChange, 'reminders'> & { reminders: ReminderChange[] };

export function toWeekChanges({ weeks, books, reminders }: DesignPlanDiff): readonly WeekChange[] {
  const found = new WeekCollector();
  addWeekNames(found, weeks);
  for (const { bookId, ordering } of books.removed) found.book(ordering, bookId).kind = 'removed';
  for (const { bookId, ordering } of books.added) found.book(ordering, bookId).kind = 'added';
  for (const { from, to } of books.moved) {
    Object.assign(found.book(from.ordering, from.bookId), { kind: 'movedOut', otherWeek: to.ordering });
    Object.assign(found.book(to.ordering, to.bookId), { kind: 'movedIn', otherWeek: from.ordering });
  }
  for (const reminder of reminders.removed) found.reminder(reminder, { kind: 'removed' });
  for (const reminder of reminders.added) found.reminder(reminder, { kind: 'added' });
  for (const { from, to } of reminders.moved) addMovedReminder(found, from, to);
  return found.list();
}

/** A week that arrives at a number comes before the one that has left it. */
function addWeekNames(found: WeekCollector, { added, removed, moved }: DesignPlanDiff['weeks']): void {
  const former = new Map(removed.map(({ name, ordering }) => [ordering, name]));
  for (const { name, ordering } of added) {
    const formerName = former.get(ordering);
    former.delete(ordering);
    // A week with another name and the same number is shown as renamed, because series identify weeks by number.
    const change = formerName === undefined ? { kind: 'added' as const } : { kind: 'changed' as const, formerName };
    found.week(ordering).names.push({ ...change, name });
  }
  for (const { from, to } of moved)
    found.week(to.ordering).names.push({ kind: 'movedIn', name: to.name, otherWeek: from.ordering });
  for (const [ordering, name] of former) found.week(ordering).names.push({ kind: 'removed', name });
  for (const { from, to } of moved)
    found.week(from.ordering).names.push({ kind: 'movedOut', name: from.name, otherWeek: to.ordering });
}

/** A reminder that moves to another week together with its Book is not a separate change. */
function addMovedReminder(found: WeekCollector, from: PlacedReminder, to: PlacedReminder): void {
  const isSameTime = from.reminderDay === to.reminderDay && from.time === to.time;
  if (from.ordering === to.ordering) {
    found.reminder(to, { kind: 'moved', from: { day: from.reminderDay, time: from.time } });
  } else if (!isSameTime || found.book(to.ordering, to.bookId).kind !== 'movedIn') {
    found.reminder(from, { kind: 'removed' });
    found.reminder(to, { kind: 'added' });
  }
}

class WeekCollector {
  private readonly weeks = new Map<number, OpenWeek>();

  week(ordering: number): OpenWeek {
    const existing = this.weeks.get(ordering);
    if (existing !== undefined) return existing;
    const created: OpenWeek = { ordering, names: [], books: new Map() };
    this.weeks.set(ordering, created);
    return created;
  }

  book(ordering: number, bookId: number): OpenBook {
    const { books } = this.week(ordering);
    const existing = books.get(bookId);
    if (existing !== undefined) return existing;
    const created: OpenBook = { bookId, kind: 'changed', reminders: [] };
    books.set(bookId, created);
    return created;
  }

  reminder(place: PlacedReminder, change: Pick<ReminderChange, 'kind' | 'from'>): void {
    const { reminders } = this.book(place.ordering, place.bookId);
    reminders.push({ ...change, day: place.reminderDay, time: place.time });
  }

  list(): readonly WeekChange[] {
    return [...this.weeks.values()]
      .toSorted((a, b) => a.ordering - b.ordering)
      .map((week) => ({ ...week, books: [...week.books.values()].map(sortReminders) }));
  }
}

function sortReminders(book: OpenBook): BookChange {
  const reminders = book.reminders.toSorted((a, b) => a.day - b.day || (a.time < b.time ? -1 : 1));
  return { ...book, reminders };
}
