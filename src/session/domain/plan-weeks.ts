import { collectBookIds, type PlanWeek } from '../../design-plan/index.js';
import { ConflictError } from '../../shared/errors/index.js';
import type { ScheduleWarning } from './schedule-warning.js';

/**
 * A Book to assign as homework, with the days of the plan week (1 to 7) and local times at which to remind the Client.
 */
export type NewHomework = { bookId: number; reminders: readonly { reminderDay: number; time: string }[] };

/** The largest `ordering` that a Session can store. A plan can have a larger one. */
export const MAX_APPLICABLE_ORDERING = 2_147_483_647;

/**
 * Selects the weeks whose `ordering` is between `from` and `to`, inclusive. null means no limit.
 *
 * @throws ConflictError if a Session cannot store the `ordering` of a selected week
 */
export function selectWeekRange(weeks: readonly PlanWeek[], from: number | null, to: number | null): PlanWeek[] {
  const selected = weeks.filter(({ ordering }) => ordering >= (from ?? ordering) && ordering <= (to ?? ordering));
  const tooLarge = selected.find(({ ordering }) => ordering > MAX_APPLICABLE_ORDERING);
  if (tooLarge === undefined) return selected;
  const detail = `The week with ordering ${tooLarge.ordering} cannot be applied, because the largest ordering of a Session is`;
  throw new ConflictError(`${detail} ${MAX_APPLICABLE_ORDERING}. Replace the plan with smaller numbers.`);
}

/** Returns the homework of a week: each usable Book once, with the reminders of all its assignments in that week. */
export function toNewHomework(week: PlanWeek, usableBookIds: ReadonlySet<number>): NewHomework[] {
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

/** Returns a warning for each Book that the Clinic can no longer use, once per week that contains the Book. */
export function findWithdrawnBookWarnings(
  weeks: readonly PlanWeek[],
  usableBookIds: ReadonlySet<number>,
): ScheduleWarning[] {
  return weeks.flatMap((week) =>
    [...new Set(collectBookIds([week]))]
      .filter((bookId) => !usableBookIds.has(bookId))
      .map((bookId): ScheduleWarning => {
        const detail = 'The Book was withdrawn and is left out of the homework.';
        return { kind: 'BOOK_WITHDRAWN', planWeek: week.ordering, bookId, detail };
      }),
  );
}
