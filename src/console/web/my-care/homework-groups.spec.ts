import type { ClientHomework } from '@care-scheduling/client';
import { groupHomeworkByDueDate, isOverdue, sortBySendTime } from './homework-groups.js';

const today = () => '2027/03/28';
const homework = (id: number, change: Partial<ClientHomework> = {}): ClientHomework => ({
  ...{ id, bookId: 1, bookTitle: 'Sleep diary', completedAt: null, sessionId: 1, version: 1 },
  ...{ dueDate: '2027/04/04', timeZone: 'Europe/London', paused: false, remindersAhead: [] },
  ...change,
});
const done = { completedAt: '2027-03-20T10:00:00.000Z' };

it('groups by day, soonest first, in the order of the ids', () => {
  const groups = groupHomeworkByDueDate([homework(3), homework(2, { dueDate: '2027/03/30' }), homework(1)], today);
  expect(groups.map(({ dueDate, items }) => [dueDate, items.map(({ id }) => id)])).toEqual([
    ['2027/03/30', [2]],
    ['2027/04/04', [1, 3]],
  ]);
});

it.each<[boolean, string, Partial<ClientHomework>]>([
  [true, 'that is due today', { dueDate: today() }],
  [true, 'that is overdue', { dueDate: '2027/03/01' }],
  [false, 'that was due and is done', { dueDate: '2027/03/01', ...done }],
  [true, 'that is done before its day', done],
])('is current (%s) with homework %s', (expected, _, change) => {
  expect(groupHomeworkByDueDate([homework(1, change)], today)[0]!.isCurrent).toBe(expected);
});

it.each<[boolean, Partial<ClientHomework>]>([
  [true, { dueDate: '2027/03/27' }],
  [false, { dueDate: today() }],
  [false, { dueDate: '2027/03/27', ...done }],
  [false, { dueDate: '2027/03/27', paused: true }],
])('is overdue: %s with %j', (expected, change) => {
  expect(isOverdue(homework(1, change), today)).toBe(expected);
});

it('sorts reminders by the time at which they are sent, also a retry that is later than the next one', () => {
  const [first, second] = ['2027-03-28T08:30:00.000Z', '2027-03-28T08:45:00.000Z'];
  const reminders = [
    { id: 1, sendAt: second },
    { id: 2, sendAt: first },
    { id: 3, sendAt: second },
  ];
  expect(sortBySendTime(reminders).map(({ id }) => id)).toEqual([2, 1, 3]);
});
