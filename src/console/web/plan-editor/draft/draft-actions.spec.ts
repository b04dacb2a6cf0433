import { applyDraftAction, type DraftAction } from './draft-actions.js';
import { updateDraftHistory, startDraftHistory } from './draft-history.js';
import { toPlanDraft, toPlanRequest, type PlanDraft } from './draft.js';

const book = (bookId: number, ...times: [day: number, time: string][]) => ({
  bookId,
  assignReminds: times.map(([reminderDay, time]) => ({ reminderDay, time })),
});
const draftOf = (...weeks: (readonly ReturnType<typeof book>[])[]): PlanDraft =>
  toPlanDraft({
    planName: 'Plan',
    appointmentTitle: null,
    appointmentDesc: null,
    caregiverId: null,
    template: false,
    weeks: weeks.map((assignments, index) => ({
      name: `Week ${index + 1}`,
      ordering: index + 1,
      assignments: [...assignments],
    })),
  });
/** Returns the IDs of the Books in each week. */
const read = ({ weeks }: PlanDraft) => weeks.map(({ books }) => books.map(({ bookId }) => bookId));
const orderings = (draft: PlanDraft) => toPlanRequest(draft).weeks!.map(({ ordering }) => ordering);
const plan = draftOf([book(1), book(2)], [book(3)], []);
const week = (index: number) => plan.weeks[index]!.key;
const placed = (index: number, place: number) => plan.weeks[index]!.books[place]!.key;

it.each<[string, DraftAction, number[][], number[]]>([
  ['adds a week', { type: 'addWeek' }, [[1, 2], [3], [], []], [1, 2, 3, 4]],
  ['removes a week, and the others keep their numbers', { type: 'removeWeek', weekKey: week(0) }, [[3], []], [2, 3]],
  [
    'moves a week, and numbers all anew',
    { type: 'moveWeek', weekKey: week(0), index: 2 },
    [[3], [], [1, 2]],
    [1, 2, 3],
  ],
  ['moves a week beyond the end', { type: 'moveWeek', weekKey: week(1), index: 9 }, [[1, 2], [], [3]], [1, 2, 3]],
  ['duplicates a week', { type: 'duplicateWeek', weekKey: week(1) }, [[1, 2], [3], [3], []], [1, 2, 3, 4]],
  [
    'moves a Book to a place of another week',
    { type: 'moveBook', bookKey: placed(1, 0), target: { weekKey: week(0), index: 1 } },
    [[1, 3, 2], [], []],
    [1, 2, 3],
  ],
  [
    'moves a Book within its week',
    { type: 'moveBook', bookKey: placed(0, 0), target: { weekKey: week(0), index: 1 } },
    [[2, 1], [3], []],
    [1, 2, 3],
  ],
  [
    'adds a Book to several weeks, once to each',
    { type: 'addBook', bookId: 3, targets: [{ weekKey: week(0), index: 0 }, { weekKey: week(1) }] },
    [[3, 1, 2], [3], []],
    [1, 2, 3],
  ],
  ['removes a Book', { type: 'removeBook', bookKey: placed(0, 0) }, [[2], [3], []], [1, 2, 3]],
  ['ignores a week that is gone', { type: 'moveWeek', weekKey: 'gone', index: 0 }, [[1, 2], [3], []], [1, 2, 3]],
  ['ignores a Book that is gone', { type: 'removeBook', bookKey: 'gone' }, [[1, 2], [3], []], [1, 2, 3]],
])('%s', (_, action, books, numbers) => {
  const changed = applyDraftAction(plan, action);
  expect([read(changed), orderings(changed)]).toEqual([books, numbers]);
});

it('merges the reminders of a Book that is moved into a week that has it', () => {
  const both = draftOf([book(1, [5, '18:00'], [2, '18:00'])], [book(1, [2, '18:00'], [1, '09:00'])]);
  const [from, to] = both.weeks;
  const moved = applyDraftAction(both, {
    type: 'moveBook',
    bookKey: from!.books[0]!.key,
    target: { weekKey: to!.key },
  });
  expect(toPlanRequest(moved).weeks![1]!.assignments).toEqual([book(1, [1, '09:00'], [2, '18:00'], [5, '18:00'])]);
});

it('undoes typing in one step and other changes one by one', () => {
  const type = (value: string) => ({ type: 'text', field: 'planName', value }) as const;
  let history = startDraftHistory(plan);
  for (const action of [type('A'), type('AB'), { type: 'addWeek' } as const])
    history = updateDraftHistory(history, action);
  expect([history.draft.planName, history.draft.weeks.length]).toEqual(['AB', 4]);
  history = updateDraftHistory(history, { type: 'undo' });
  expect([history.draft.planName, history.draft.weeks.length]).toEqual(['AB', 3]);
  history = updateDraftHistory(history, { type: 'undo' });
  expect(history.draft).toBe(plan);
  expect(updateDraftHistory(history, { type: 'undo' })).toBe(history);
  history = updateDraftHistory(updateDraftHistory(history, { type: 'redo' }), { type: 'redo' });
  expect([history.draft.planName, history.draft.weeks.length]).toEqual(['AB', 4]);
});

it('undoes the discarding of all changes', () => {
  const start = startDraftHistory(plan);
  const changed = updateDraftHistory(start, { type: 'text', field: 'planName', value: 'Another plan' });
  const discarded = updateDraftHistory(changed, { type: 'discard' });
  expect(discarded.draft).toBe(plan);
  expect(updateDraftHistory(discarded, { type: 'undo' }).draft.planName).toBe('Another plan');
});

it('keeps the numbers with which weeks were saved, also if the draft was changed during the save', () => {
  const third = week(2);
  const moved = updateDraftHistory(startDraftHistory(plan), { type: 'moveWeek', weekKey: third, index: 0 });
  const asked = updateDraftHistory(moved, { type: 'addWeek' });
  const sent = asked.draft;
  const typed = updateDraftHistory(asked, { type: 'text', field: 'planName', value: 'Typed' });
  const numbers = orderings(sent);
  const stored = { ...plan, weeks: sent.weeks.map((one, index) => ({ ...one, ordering: numbers[index]! })) };
  const saved = updateDraftHistory(typed, { type: 'saved', sent, saved: stored });
  expect(saved.draft.planName).toBe('Typed');
  const removed = updateDraftHistory(saved, { type: 'removeWeek', weekKey: third });
  expect(orderings(removed.draft)).toEqual([2, 3, 4]);
  expect(orderings(updateDraftHistory(saved, { type: 'undo' }).draft)).toEqual([1, 2, 3, 4]);
  const renumbered = updateDraftHistory(asked, { type: 'renumber' });
  const gaps = { ...stored, weeks: stored.weeks.map((one, index) => ({ ...one, ordering: index * 2 + 1 })) };
  expect(orderings(updateDraftHistory(renumbered, { type: 'saved', sent, saved: gaps }).draft)).toEqual([1, 2, 3, 4]);
});
