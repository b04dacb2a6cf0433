import type { ClientHomework } from '@care-scheduling/client';

/** Homework with the same due date. */
export type HomeworkGroup = {
  key: string;
  dueDate: string;
  timeZone: string;
  items: readonly ClientHomework[];
  /** Whether the due date has not passed, or some of the homework is not done. */
  isCurrent: boolean;
};

/**
 * Groups homework by due date, soonest first.
 *
 * @param today returns the current date in a time zone, `yyyy/MM/dd`
 */
export function groupHomeworkByDueDate(
  homework: readonly ClientHomework[],
  today: (timeZone: string) => string,
): readonly HomeworkGroup[] {
  const groups = Map.groupBy(homework, ({ dueDate, timeZone }) => `${dueDate} ${timeZone}`);
  return [...groups]
    .map(([key, items]): HomeworkGroup => {
      const { dueDate, timeZone } = items[0]!;
      const sorted = items.toSorted((a, b) => a.id - b.id);
      const isCurrent = dueDate >= today(timeZone) || items.some(({ completedAt }) => completedAt === null);
      return { key, dueDate, timeZone, items: sorted, isCurrent };
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Whether the due date has passed and the homework is not done. Homework of a paused series is never overdue. */
export function isOverdue(
  { dueDate, timeZone, completedAt, paused }: ClientHomework,
  today: (timeZone: string) => string,
): boolean {
  return completedAt === null && !paused && dueDate < today(timeZone);
}

/** Sorts by the time at which reminders are sent. The API sorts by their due time; quiet hours and retries change the order. */
export function sortBySendTime<Reminder extends { sendAt: string }>(reminders: readonly Reminder[]): Reminder[] {
  return reminders.toSorted((one, other) => one.sendAt.localeCompare(other.sendAt));
}
