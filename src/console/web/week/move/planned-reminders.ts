import type { PlannedReminder, PlannedSession } from '@care-scheduling/client';

/** A reminder in the preview of a move. */
export type ReminderLine = Pick<PlannedReminder, 'recipient' | 'dueAt' | 'status'> & {
  key: string;
  zone: string;
  /** ID of the Book of a homework reminder; undefined for other reminders. */
  bookId: number | undefined;
};

/**
 * Returns the reminders of a Session and its homework, sorted by time. Reminders that were sent or have failed for good
 * are left out, because a move does not affect them.
 */
export function listPlannedReminders({ reminders, homework }: PlannedSession): ReminderLine[] {
  const all = [
    ...reminders.map((reminder) => ({ reminder, bookId: undefined })),
    ...homework.flatMap(({ bookId, reminders: own }) => own.map((reminder) => ({ reminder, bookId }))),
  ];
  return all
    .filter(({ reminder }) => reminder.status !== 'SENT' && reminder.status !== 'DEAD')
    .map(({ reminder: { recipient, dueAt, status, timeZone, rule }, bookId }) => ({
      ...{ recipient, dueAt, status, bookId },
      key: `${bookId ?? ''} ${recipient} ${rule} ${dueAt}`,
      zone: timeZone,
    }))
    .sort((one, other) => one.dueAt.localeCompare(other.dueAt));
}
