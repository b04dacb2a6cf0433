import { jest } from '@jest/globals';
import fc from 'fast-check';
import type { PlanWeek } from './plan-content.js';
import { comparePlanWeeks, type PlanItemChanges } from './plan-diff.js';

const week = (name: string, ordering: number, ...books: [number, ...string[]][]): PlanWeek => ({
  name,
  ordering,
  assignments: books.map(([bookId, ...times]) => ({
    bookId,
    assignReminds: times.map((time) => ({ reminderDay: 1, time })),
  })),
});
const nothing = { added: [], removed: [], moved: [] };

describe('comparePlanWeeks', () => {
  it('finds no differences between equal plans', () => {
    const plan = [week('A', 1, [1, '09:00'], [1, '09:00']), week('B', 2)];
    expect(comparePlanWeeks(plan, structuredClone(plan))).toEqual({
      weeks: nothing,
      books: nothing,
      reminders: nothing,
    });
  });

  it('finds added, removed and moved weeks', () => {
    const diff = comparePlanWeeks(
      [week('A', 1), week('B', 2), week('C', 3)],
      [week('B', 1), week('A', 2), week('D', 3)],
    );
    expect(diff.weeks).toEqual({
      added: [{ name: 'D', ordering: 3 }],
      removed: [{ name: 'C', ordering: 3 }],
      moved: [
        { from: { name: 'A', ordering: 1 }, to: { name: 'A', ordering: 2 } },
        { from: { name: 'B', ordering: 2 }, to: { name: 'B', ordering: 1 } },
      ],
    });
  });

  it('distinguishes a Book that moved to another week from an added or removed one', () => {
    const diff = comparePlanWeeks(
      [week('A', 1, [1], [2]), week('B', 2, [3])],
      [week('A', 1, [2], [4]), week('B', 2, [3], [1])],
    );
    expect(diff.books).toEqual({
      added: [{ bookId: 4, ordering: 1 }],
      removed: [],
      moved: [{ from: { bookId: 1, ordering: 1 }, to: { bookId: 1, ordering: 2 } }],
    });
  });

  it('reports a reminder at another time as moved', () => {
    const diff = comparePlanWeeks(
      [week('A', 1, [1, '09:00', '18:00'])],
      [week('A', 1, [1, '09:00', '20:00', '21:00'])],
    );
    const reminder = (time: string) => ({ bookId: 1, ordering: 1, reminderDay: 1, time });
    expect(diff.reminders).toEqual({
      added: [reminder('21:00')],
      removed: [],
      moved: [{ from: reminder('18:00'), to: reminder('20:00') }],
    });
  });

  it('matches equal items in their order, without copying the rest of the list for each', () => {
    const shift = jest.spyOn(Array.prototype, 'shift');
    const from = [week('A', 1, [1, '09:00', '09:00', '10:00', '11:00'])];
    const { reminders } = comparePlanWeeks(from, [week('A', 1, [1, '09:00', '20:00', '21:00', '22:00', '23:00'])]);
    const calls = shift.mock.calls.length;
    shift.mockRestore();
    const times = reminders.moved.map((item) => [item.from.time, item.to.time]);
    expect(times).toEqual([
      ['09:00', '20:00'],
      ['10:00', '21:00'],
      ['11:00', '22:00'],
    ]);
    expect([reminders.added.map(({ time }) => time), reminders.removed, calls]).toEqual([['23:00'], [], 0]);
  });

  const weeks = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('A', 'B', 'C', 'D'),
      ordering: fc.integer({ min: 0, max: 6 }),
      assignments: fc.array(
        fc.record({
          bookId: fc.integer({ min: 1, max: 4 }),
          assignReminds: fc.array(
            fc.record({ reminderDay: fc.integer({ min: 1, max: 2 }), time: fc.constantFrom('09:00', '18:00') }),
            { maxLength: 3 },
          ),
        }),
        { maxLength: 3 },
      ),
    }),
    { selector: (week) => week.ordering, maxLength: 5 },
  );
  const count = <T>(change: PlanItemChanges<T>) => change.added.length - change.removed.length;

  it('includes every Book and reminder, and is the inverse of the comparison in the other direction', () => {
    fc.assert(
      fc.property(weeks, weeks, (from, to) => {
        const diff = comparePlanWeeks(from, to);
        const books = (plan: PlanWeek[]) => plan.flatMap((each) => each.assignments).length;
        const reminders = (plan: PlanWeek[]) =>
          plan.flatMap((each) => each.assignments.flatMap((assignment) => assignment.assignReminds)).length;
        expect(count(diff.weeks)).toBe(to.length - from.length);
        expect(count(diff.books)).toBe(books(to) - books(from));
        expect(count(diff.reminders)).toBe(reminders(to) - reminders(from));
        const back = comparePlanWeeks(to, from);
        for (const kind of ['weeks', 'books', 'reminders'] as const) {
          expect(back[kind].added).toEqual(diff[kind].removed);
          expect(back[kind].moved).toHaveLength(diff[kind].moved.length);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
