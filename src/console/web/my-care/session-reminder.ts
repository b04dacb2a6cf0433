import type { UpcomingReminder } from '@care-scheduling/client';

/**
 * Returns the Client's next reminder of a Session. The reminders of its homework are left out, because they usually come
 * after the Session.
 *
 * @param reminders the upcoming reminders of the Session and its homework, in any order
 */
export function findSessionReminder(reminders: readonly UpcomingReminder[]): UpcomingReminder | undefined {
  const own = reminders.filter(({ recipientKind, homeworkId }) => recipientKind === 'CLIENT' && homeworkId === null);
  // Quiet hours and retries can send a reminder after one that is due later.
  return own.toSorted((a, b) => a.sendAt.localeCompare(b.sendAt))[0];
}
