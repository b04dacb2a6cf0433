import type { DesignPlanDiff } from '@care-scheduling/client';
import { toWeekChanges } from './diff-weeks.js';

const none = { added: [], removed: [], moved: [] };
const diffOf = (change: Partial<DesignPlanDiff>): DesignPlanDiff => ({
  ...{ weeks: none, books: none, reminders: none },
  ...change,
});
const at = (ordering: number, reminderDay: number, time = '18:00') => ({ bookId: 1, ordering, reminderDay, time });

it('groups by week, in their order', () => {
  const changes = toWeekChanges(
    diffOf({
      weeks: { ...none, added: [{ name: 'Week 9', ordering: 9 }], removed: [{ name: 'Week 3', ordering: 3 }] },
      books: { ...none, removed: [{ bookId: 1, ordering: 3 }], added: [{ bookId: 2, ordering: 1 }] },
    }),
  );
  expect(
    changes.map(({ ordering, names, books }) => [
      ordering,
      names.map((one) => one.kind),
      books.map((one) => [one.bookId, one.kind]),
    ]),
  ).toEqual([
    [1, [], [[2, 'added']]],
    [3, ['removed'], [[1, 'removed']]],
    [9, ['added'], []],
  ]);
});

it('tells a new name of a week from a new week, and shows both ends of a move', () => {
  const changes = toWeekChanges(
    diffOf({
      weeks: {
        added: [{ name: 'Rest', ordering: 1 }],
        removed: [{ name: 'Start', ordering: 1 }],
        moved: [{ from: { name: 'End', ordering: 2 }, to: { name: 'End', ordering: 5 } }],
      },
    }),
  );
  expect(changes).toEqual([
    { ordering: 1, names: [{ kind: 'changed', name: 'Rest', formerName: 'Start' }], books: [] },
    { ordering: 2, names: [{ kind: 'movedOut', name: 'End', otherWeek: 5 }], books: [] },
    { ordering: 5, names: [{ kind: 'movedIn', name: 'End', otherWeek: 2 }], books: [] },
  ]);
});

const moved = (name: string, from: number, to: number) => ({
  from: { name, ordering: from },
  to: { name, ordering: to },
});

it.each<[string, Partial<DesignPlanDiff['weeks']>, [number, string][][]]>([
  [
    'two weeks that have changed places',
    { moved: [moved('Start', 1, 2), moved('End', 2, 1)] },
    [
      [
        [1, 'movedIn End'],
        [1, 'movedOut Start'],
      ],
      [
        [2, 'movedIn Start'],
        [2, 'movedOut End'],
      ],
    ],
  ],
  [
    'a new week before one that has moved',
    { added: [{ name: 'Middle', ordering: 2 }], moved: [moved('End', 2, 3)] },
    [
      [
        [2, 'added Middle'],
        [2, 'movedOut End'],
      ],
      [[3, 'movedIn End']],
    ],
  ],
  [
    'a week in the place of a removed one',
    { removed: [{ name: 'Start', ordering: 1 }], moved: [moved('End', 2, 1)] },
    [
      [
        [1, 'movedIn End'],
        [1, 'removed Start'],
      ],
      [[2, 'movedOut End']],
    ],
  ],
])('shows both changes of a number for %s', (_, weeks, expected) => {
  const changes = toWeekChanges(diffOf({ weeks: { ...none, ...weeks } }));
  expect(changes.map(({ ordering, names }) => names.map(({ kind, name }) => [ordering, `${kind} ${name}`]))).toEqual(
    expected,
  );
});

it.each<[string, DesignPlanDiff['reminders'], unknown[]]>([
  ['added', { ...none, added: [at(1, 2)] }, [{ kind: 'added', day: 2, time: '18:00' }]],
  ['removed', { ...none, removed: [at(1, 2)] }, [{ kind: 'removed', day: 2, time: '18:00' }]],
  [
    'moved within its week',
    { ...none, moved: [{ from: at(1, 2), to: at(1, 3, '09:00') }] },
    [{ kind: 'moved', day: 3, time: '09:00', from: { day: 2, time: '18:00' } }],
  ],
])('shows a reminder that was %s', (_, reminders, expected) => {
  const [week] = toWeekChanges(diffOf({ reminders }));
  expect(week).toMatchObject({
    ordering: 1,
    names: [],
    books: [{ bookId: 1, kind: 'changed', reminders: expected }],
  });
});

it('is silent about reminders that go with their Book to another week', () => {
  const books = { ...none, moved: [{ from: { bookId: 1, ordering: 3 }, to: { bookId: 1, ordering: 4 } }] };
  const along = { ...none, moved: [{ from: at(3, 2), to: at(4, 2) }] };
  const otherTime = { ...none, moved: [{ from: at(3, 2), to: at(4, 5) }] };
  const readReminders = (diff: DesignPlanDiff) =>
    toWeekChanges(diff).map(({ books: [book] }) => book!.reminders.length);
  expect(readReminders(diffOf({ books, reminders: along }))).toEqual([0, 0]);
  expect(readReminders(diffOf({ books, reminders: otherTime }))).toEqual([1, 1]);
});
