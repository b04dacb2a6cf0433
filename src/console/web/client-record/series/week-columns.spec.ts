import { toWeekColumns } from './week-columns.js';

const session = (date: string) => ({ date, startsAt: `${date.replaceAll('/', '-')}T10:00:00.000Z` });

describe('the weeks of a series', () => {
  it('shows a skipped week, and marks the current one', () => {
    const columns = toWeekColumns([session('2027/03/16'), session('2027/03/02')], '2027/03/10');
    expect(columns.map(({ monday, isCurrent }) => [monday, isCurrent])).toEqual([
      ['2027/03/01', false],
      ['2027/03/08', true],
      ['2027/03/15', false],
    ]);
    expect(columns.map((column) => (column.kind === 'week' ? column.sessions.length : -1))).toEqual([1, 0, 1]);
  });

  it('joins more than two weeks without a Session', () => {
    const columns = toWeekColumns([session('2027/03/02'), session('2027/04/06')], '2027/03/20');
    expect(columns.map(({ kind, isCurrent }) => [kind, isCurrent])).toEqual([
      ['week', false],
      ['gap', true],
      ['week', false],
    ]);
    expect(columns[1]).toMatchObject({ weeks: 4, monday: '2027/03/08' });
  });

  it('keeps several Sessions of one week in the order of their start', () => {
    const [only, ...more] = toWeekColumns([session('2027/03/05'), session('2027/03/01')], '2027/01/01');
    expect(more).toEqual([]);
    expect(only).toMatchObject({ sessions: [{ date: '2027/03/01' }, { date: '2027/03/05' }] });
    expect(toWeekColumns([], '2027/01/01')).toEqual([]);
  });
});
