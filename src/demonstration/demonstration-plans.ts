const EVENING = [{ reminderDay: 2, time: '18:00' }];
const TWICE = [...EVENING, { reminderDay: 5, time: '18:30' }];

/** The IDs of the Books in each week, from the shared catalogue. The first Book of a week has reminders on two days. */
const SLEEP_WEEKS = [[1, 2], [1], [3, 2], [4], [1, 5], [3], [6], [1, 6]];
const ACTIVITY_WEEKS = [[4], [4, 2], [6]];

/** The request body that creates a plan of eight weeks. Both Clinics of the demonstration have such a plan. */
export const SLEEP_PLAN = {
  planName: 'Eight weeks of better sleep',
  appointmentTitle: 'Sleep session',
  appointmentDesc: 'Weekly review of the sleep diary',
  caregiverId: 1,
  weeks: toWeeks(SLEEP_WEEKS),
};

export const ACTIVITY_PLAN = {
  planName: 'Three weeks of activity',
  appointmentTitle: 'Activity session',
  appointmentDesc: 'What was possible, and what comes next',
  caregiverId: 2,
  template: true,
  weeks: toWeeks(ACTIVITY_WEEKS),
};

function toWeeks(weeks: readonly (readonly number[])[]) {
  return weeks.map((bookIds, index) => ({
    name: `Week ${index + 1}`,
    ordering: index + 1,
    assignments: bookIds.map((bookId, place) => ({ bookId, assignReminds: place === 0 ? TWICE : EVENING })),
  }));
}
