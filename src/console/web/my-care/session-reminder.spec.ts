import type { UpcomingReminder } from '@care-scheduling/client';
import { findSessionReminder } from './session-reminder.js';

const at = '2027-03-21T09:30:00.000Z';
const later = '2027-03-22T07:00:00.000Z';
const toReminder = (id: number, change: Partial<UpcomingReminder> = {}): UpcomingReminder => ({
  ...{ id, homeworkId: null, recipientKind: 'CLIENT', dueAt: at, sendAt: at },
  ...change,
});
const ofCareProvider = toReminder(1, { recipientKind: 'CARE_PROVIDER' });
const ofHomework = toReminder(2, { homeworkId: 7 });

it.each([
  ['the first one of the Client', [ofCareProvider, toReminder(3), toReminder(4)], 3],
  ['one that is due after a reminder of homework', [ofHomework, toReminder(3)], 3],
  ['the one that is sent first, not the one that is due first', [toReminder(3, { sendAt: later }), toReminder(4)], 4],
  ['none, if only reminders of homework are still to come', [ofCareProvider, ofHomework], undefined],
])('finds %s', (_, reminders, id) => {
  expect(findSessionReminder(reminders)?.id).toBe(id);
});
