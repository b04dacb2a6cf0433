/* A twelve-week plan with Books from the shared catalogue. */

const [SLEEP_DIARY, BREATHING, THOUGHTS, ACTIVITY, WORRY_TIME, GRATITUDE] = [1, 2, 3, 4, 5, 6];

/** @param times such as `2 20:00`: on day 2 of the week, at 20:00 */
const book = (bookId: number, ...times: string[]) => ({
  bookId,
  assignReminds: times.map((text) => ({ reminderDay: Number(text[0]), time: text.slice(2) })),
});

const weeks = [
  { name: 'Settling in', assignments: [book(SLEEP_DIARY, '2 20:00', '5 20:00'), book(BREATHING, '3 12:30')] },
  { name: 'A regular rhythm', assignments: [book(SLEEP_DIARY, '2 20:00', '6 10:00'), book(BREATHING, '4 21:30')] },
  { name: 'Calmer evenings', assignments: [book(BREATHING, '2 19:00', '5 19:00'), book(SLEEP_DIARY, '3 07:30')] },
  // If the first Session is on Monday 1 March 2027, day 7 of this week has no 01:30 in Britain.
  { name: 'The longest night', assignments: [book(SLEEP_DIARY, '3 20:00', '7 01:30'), book(ACTIVITY, '5 09:00')] },
  { name: 'Looking at worries', assignments: [book(WORRY_TIME, '2 18:00', '4 18:00'), book(THOUGHTS, '6 11:00')] },
  { name: 'Thoughts on paper', assignments: [book(THOUGHTS, '2 12:00', '4 12:00'), book(SLEEP_DIARY, '5 20:00')] },
  { name: 'Half-way', assignments: [book(WORRY_TIME, '3 18:00'), book(ACTIVITY, '4 09:00', '7 09:00')] },
  { name: 'Out and about', assignments: [book(ACTIVITY, '2 09:00', '5 09:00'), book(THOUGHTS, '3 21:45')] },
  { name: 'Good things', assignments: [book(GRATITUDE, '2 20:30', '5 20:30'), book(ACTIVITY, '6 10:00')] },
  { name: 'Setbacks', assignments: [book(THOUGHTS, '3 12:00'), book(GRATITUDE, '4 20:30', '6 20:30')] },
  { name: 'Keeping it up', assignments: [book(SLEEP_DIARY, '2 20:00', '6 20:00'), book(BREATHING, '4 07:15')] },
  { name: 'On your own', assignments: [book(GRATITUDE, '3 20:30', '7 20:30'), book(SLEEP_DIARY, '5 20:00')] },
];

/** The request body that creates the plan of a simulation without a plan file. */
export const demonstrationPlan = {
  planName: 'Twelve weeks of better sleep',
  appointmentTitle: 'Sleep session',
  appointmentDesc: 'Weekly review of the sleep diary',
  weeks,
};
