import type { UpcomingReminder } from '@care-scheduling/client';

/**
 * Returns the Client's next reminder of a Session. The reminders of its homework are left out, because they usually come
 * after the Session.
 *
 * @param reminders the upcoming reminders of the Session and its homework, by their due time
 */
export function findSessionReminder(reminders: readonly UpcomingReminder[]): UpcomingReminder | undefined {
  return reminders.find(({ recipientKind, homeworkId }) => recipientKind === 'CLIENT' && homeworkId === null);
}
