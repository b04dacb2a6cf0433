import type { Week } from '../../design-plan/index.js';
import type { NewHomework } from '../scheduling/series-writer.js';
import type { ScheduleWarning } from './time-warnings.js';

/** The weeks of a plan that were asked for, by `ordering`; both ends may be open. */
export function selectWeeks(weeks: readonly Week[], from: number | null, to: number | null): Week[] {
  return weeks.filter(({ ordering }) => ordering >= (from ?? ordering) && ordering <= (to ?? ordering));
}

export function collectBookIds(weeks: readonly Week[]): number[] {
  return weeks.flatMap((week) => week.assignments.map((assignment) => assignment.bookId));
}

/** The homework of a week: each Book once, with all its reminders; Books that were withdrawn are left out. */
export function toNewHomework(week: Week, usableBookIds: ReadonlySet<number>): NewHomework[] {
  const byBook = Map.groupBy(
    week.assignments.filter(({ bookId }) => usableBookIds.has(bookId)),
    ({ bookId }) => bookId,
  );
  return [...byBook].map(([bookId, assignments]) => {
    const reminders = assignments.flatMap(({ assignReminds }) => assignReminds);
    return {
      bookId,
      reminders: [...new Map(reminders.map((item) => [`${item.reminderDay} ${item.time}`, item])).values()],
    };
  });
}

/** One warning for each Book of each week that cannot be given any more. */
export function findWithdrawnBookWarnings(
  weeks: readonly Week[],
  usableBookIds: ReadonlySet<number>,
): ScheduleWarning[] {
  return weeks.flatMap((week) =>
    [...new Set(collectBookIds([week]))]
      .filter((bookId) => !usableBookIds.has(bookId))
      .map((bookId): ScheduleWarning => {
        const detail = 'The Book was withdrawn: it is left out of the homework.';
        return { kind: 'BOOK_WITHDRAWN', planWeek: week.ordering, bookId, detail };
      }),
  );
}
