import type { ScheduleConflict, ScheduleWarning } from '@care-scheduling/client';
import { listConflictsOfSession, listWarningKindsOfSession, groupScheduleWarnings } from './schedule-notes.js';

const warnings: readonly ScheduleWarning[] = [
  { kind: 'QUIET_HOURS', detail: 'first', position: 3, bookId: 2 },
  { kind: 'QUIET_HOURS', detail: 'second', position: 1, bookId: 2 },
  { kind: 'QUIET_HOURS', detail: 'third', position: 3 },
  { kind: 'FIXED_OFFSET', detail: 'fixed' },
  { kind: 'BOOK_WITHDRAWN', detail: 'gone', planWeek: 2, bookId: 7 },
  { kind: 'AFTER_DUE', detail: 'late', position: 3 },
];

describe('what is reported about a change', () => {
  it('is put together by its kind', () => {
    expect(groupScheduleWarnings(warnings)).toEqual([
      { kind: 'QUIET_HOURS', detail: 'first', positions: [1, 3], planWeeks: [], bookIds: [2] },
      { kind: 'FIXED_OFFSET', detail: 'fixed', positions: [], planWeeks: [], bookIds: [] },
      { kind: 'BOOK_WITHDRAWN', detail: 'gone', positions: [], planWeeks: [2], bookIds: [7] },
      { kind: 'AFTER_DUE', detail: 'late', positions: [3], planWeeks: [], bookIds: [] },
    ]);
  });

  it('is found for one Session, each kind once', () => {
    expect(listWarningKindsOfSession(warnings, 3)).toEqual(['QUIET_HOURS', 'AFTER_DUE']);
    expect(listWarningKindsOfSession(warnings, 2)).toEqual([]);
    const conflict = { position: 2, with: 'CLIENT' } as ScheduleConflict;
    expect(listConflictsOfSession([conflict], 2)).toEqual([conflict]);
    expect(listConflictsOfSession([conflict], 1)).toEqual([]);
  });
});
