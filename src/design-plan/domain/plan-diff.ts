import type { Week } from './plan-content.js';

/* What differs between two revisions of a plan. */

/** A Book as homework of the week at a place. */
export type PlacedBook = { bookId: number; ordering: number };
/** A reminder of a Book in the week at a place. */
export type PlacedReminder = PlacedBook & { reminderDay: number; time: string };
/** A week at its place. */
export type PlacedWeek = { name: string; ordering: number };

export type PlanChange<T> = { added: T[]; removed: T[]; moved: { from: T; to: T }[] };
export type PlanDiff = {
  weeks: PlanChange<PlacedWeek>;
  books: PlanChange<PlacedBook>;
  reminders: PlanChange<PlacedReminder>;
};

/**
 * Compares what two revisions say. A week is the same when it has the same name, a Book when it has the
 * same id, a reminder when it is of the same Book; one that is the same but stands elsewhere has moved.
 */
export function comparePlans(from: readonly Week[], to: readonly Week[]): PlanDiff {
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

/** What is in both at the same place is left out; of the rest, equals of the same identity pair up as moves. */
function findChanges<T extends object>(
  from: readonly T[],
  to: readonly T[],
  identity: (item: T) => unknown,
): PlanChange<T> {
  const [removed, added] = removeCommonItems(from, to, (item) => JSON.stringify(Object.entries(item).toSorted()));
  const moved: { from: T; to: T }[] = [];
  const targets = Map.groupBy(added, identity);
  const gone = removed.filter((item) => {
    const target = targets.get(identity(item))?.shift();
    if (target !== undefined) moved.push({ from: item, to: target });
    return target === undefined;
  });
  const arrived = new Set([...targets.values()].flat());
  return { added: added.filter((item) => arrived.has(item)), removed: gone, moved };
}

/** Both lists without what they have in common, counted as often as it occurs. */
function removeCommonItems<T>(from: readonly T[], to: readonly T[], key: (item: T) => string): [T[], T[]] {
  const remaining = Map.groupBy(to, key);
  const removed = from.filter((item) => remaining.get(key(item))?.shift() === undefined);
  const left = new Set([...remaining.values()].flat());
  return [removed, to.filter((item) => left.has(item))];
}

function toPlacedWeek({ name, ordering }: Week): PlacedWeek {
  return { name, ordering };
}

function toPlacedBooks({ ordering, assignments }: Week): PlacedBook[] {
  return assignments.map(({ bookId }) => ({ bookId, ordering }));
}

function toPlacedReminders({ ordering, assignments }: Week): PlacedReminder[] {
  return assignments.flatMap(({ bookId, assignReminds }) =>
    assignReminds.map(({ reminderDay, time }) => ({ bookId, ordering, reminderDay, time })),
  );
}
