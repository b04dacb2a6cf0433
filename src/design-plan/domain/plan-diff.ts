import type { PlanWeek } from './plan-content.js';

/* Compares two revisions of a plan. */

/** A Book assigned in the week with this `ordering`. */
type PlacedBook = { bookId: number; ordering: number };
/** A reminder of a Book in the week with this `ordering`. */
type PlacedReminder = PlacedBook & { reminderDay: number; time: string };
/** A week and its position in the plan. */
type PlacedWeek = { name: string; ordering: number };

export type PlanItemChanges<T> = { added: T[]; removed: T[]; moved: { from: T; to: T }[] };
export type PlanDiff = {
  weeks: PlanItemChanges<PlacedWeek>;
  books: PlanItemChanges<PlacedBook>;
  reminders: PlanItemChanges<PlacedReminder>;
};

/**
 * Compares two revisions. Weeks are matched by name, Books by ID, and reminders by Book ID. A matched item with a
 * different position or time is reported as moved.
 */
export function comparePlanWeeks(from: readonly PlanWeek[], to: readonly PlanWeek[]): PlanDiff {
  return {
    weeks: findChanges(from.map(toPlacedWeek), to.map(toPlacedWeek), (week) => week.name),
    books: findChanges(from.flatMap(toPlacedBooks), to.flatMap(toPlacedBooks), (book) => book.bookId),
    reminders: findChanges(
      from.flatMap(toPlacedReminders),
      to.flatMap(toPlacedReminders),
      (reminder) => reminder.bookId,
    ),
  };
}

/** Ignores items that both lists contain. Remaining items with the same identity are paired and reported as moved. */
function findChanges<T extends object>(
  from: readonly T[],
  to: readonly T[],
  identity: (item: T) => unknown,
): PlanItemChanges<T> {
  const [removed, added] = removeCommonItems(from, to, (item) => JSON.stringify(Object.entries(item).toSorted()));
  const moved: { from: T; to: T }[] = [];
  const targets = groupBackwards(added, identity);
  const gone = removed.filter((item) => {
    const target = targets.get(identity(item))?.pop();
    if (target !== undefined) moved.push({ from: item, to: target });
    return target === undefined;
  });
  const arrived = new Set([...targets.values()].flat());
  return { added: added.filter((item) => arrived.has(item)), removed: gone, moved };
}

/** Removes common items from both lists. Duplicates are matched one to one. */
function removeCommonItems<T>(from: readonly T[], to: readonly T[], key: (item: T) => string): [T[], T[]] {
  const remaining = groupBackwards(to, key);
  const removed = from.filter((item) => remaining.get(key(item))?.pop() === undefined);
  const left = new Set([...remaining.values()].flat());
  return [removed, to.filter((item) => left.has(item))];
}

/** Groups items so that `pop` takes the first one. `shift` would copy the rest of a long list for each item. */
function groupBackwards<T, Key>(items: readonly T[], key: (item: T) => Key): Map<Key, T[]> {
  return Map.groupBy(items.toReversed(), key);
}

function toPlacedWeek({ name, ordering }: PlanWeek): PlacedWeek {
  return { name, ordering };
}

function toPlacedBooks({ ordering, assignments }: PlanWeek): PlacedBook[] {
  return assignments.map(({ bookId }) => ({ bookId, ordering }));
}

function toPlacedReminders({ ordering, assignments }: PlanWeek): PlacedReminder[] {
  return assignments.flatMap(({ bookId, assignReminds }) =>
    assignReminds.map(({ reminderDay, time }) => ({ bookId, ordering, reminderDay, time })),
  );
}
