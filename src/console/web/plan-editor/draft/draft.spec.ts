import { findDraftRuleViolations, mapErrorsToPlaces, toWeekNamePlace } from './draft-checks.js';
import { compareDrafts } from './draft-differences.js';
import { EMPTY_DRAFT, isSameWhenSaved, toPlanDraft, toPlanRequest, type PlanDraft } from './draft.js';
import { assignWeekOrderings, hasGapsInOrderings } from './orderings.js';

const stored = {
  planName: 'Sleep',
  appointmentTitle: null,
  appointmentDesc: 'Weekly',
  caregiverId: 1,
  template: false,
  weeks: [
    { name: 'Week 1', ordering: 1, assignments: [{ bookId: 1, assignReminds: [{ reminderDay: 2, time: '18:00' }] }] },
    { name: 'Rest', ordering: 4, assignments: [] },
  ],
};

it('keeps what was stored, with numbers and own names, and leaves default names to the service', () => {
  const { weeks, ...rest } = toPlanRequest(toPlanDraft(stored));
  expect({ ...rest, weeks: stored.weeks }).toEqual(stored);
  expect(weeks).toEqual([{ ...stored.weeks[0], name: null }, stored.weeks[1]]);
  expect(isSameWhenSaved(toPlanDraft(stored), toPlanDraft(stored))).toBe(true);
});

it.each<[(number | null)[], number[], boolean]>([
  [[1, 2, 3], [1, 2, 3], false],
  [[0, 1], [0, 1], true],
  [[1, 3, null], [1, 3, 4], true],
  [[1, null, 3], [1, 2, 3], false],
  [[1, null, 2], [1, 2, 3], false],
  [[null, 1], [1, 2], false],
  [[3, 1, 2], [1, 2, 3], false],
  [[null, null], [1, 2], false],
])('numbers %j as %j', (given, expected, gaps) => {
  const assigned = assignWeekOrderings(given.map((ordering) => ({ ordering })));
  expect([assigned, hasGapsInOrderings(assigned)]).toEqual([expected, gaps]);
});

it('finds what the service would refuse', () => {
  const long = '😀'.repeat(201);
  const books = Array.from({ length: 51 }, (_, index) => ({ key: `b${index}`, bookId: index + 1, reminders: [] }));
  const reminders = Array.from({ length: 21 }, (_, index) => ({ day: 1, time: `0${index % 10}:00` }));
  const weeks = [
    { key: 'w1', name: long, ordering: null, books },
    { key: 'w2', name: '😀'.repeat(200), ordering: null, books: [{ key: 'b', bookId: 1, reminders }] },
  ];
  expect(findDraftRuleViolations({ ...EMPTY_DRAFT, planName: ' ', appointmentTitle: long, weeks })).toEqual([
    { place: 'planName', rule: 'empty' },
    { place: 'appointmentTitle', rule: 'long', max: 200 },
    { place: toWeekNamePlace('w1'), rule: 'long', max: 200 },
    { place: 'w1', rule: 'many', max: 50 },
    { place: 'b', rule: 'many', max: 20 },
  ]);
  expect(findDraftRuleViolations({ ...EMPTY_DRAFT, planName: 'Plan' })).toEqual([]);
});

it('places the errors of the service in the draft that was sent', () => {
  const draft = toPlanDraft(stored);
  const [first, second] = draft.weeks;
  const placed = mapErrorsToPlaces(
    {
      '/planName': 'must not be empty',
      '/weeks/0/assignments/0/bookId': 'no such Book',
      '/weeks/0/assignments/0/assignReminds/0/time': 'no time',
      '/weeks/1/name': 'too long',
      '/weeks/1/assignments': 'too many',
      '/weeks': 'too many weeks',
      '/else': 'is not a field',
      '/weeks/9/name': 'is not there',
    },
    draft,
  );
  expect(placed.places).toEqual({
    planName: 'must not be empty',
    [first!.books[0]!.key]: 'no such Book; no time',
    [toWeekNamePlace(second!.key)]: 'too long',
    [second!.key]: 'too many',
    weeks: 'too many weeks',
  });
  expect(placed.others).toEqual({ '/else': 'is not a field', '/weeks/9/name': 'is not there' });
});

it('tells two versions apart by field and by week', () => {
  const theirs = toPlanDraft(stored);
  const yours: PlanDraft = { ...theirs, planName: 'Sleep well', caregiverId: null, weeks: theirs.weeks.slice(0, 1) };
  expect(compareDrafts(theirs, yours)).toEqual([
    { kind: 'planName', theirs: 'Sleep', yours: 'Sleep well' },
    { kind: 'caregiverId', theirs: 1, yours: null },
    { kind: 'week', ordering: 4, theirs: { name: 'Rest', books: [] }, yours: undefined },
  ]);
  expect(compareDrafts(theirs, toPlanDraft(stored))).toEqual([]);
});
