import { ConflictError } from '../../shared/errors/index.js';
import { SessionSeries } from './session-series.entity.js';

const CREATED_AT = Temporal.Instant.from('2027-01-01T00:00:00Z');
const NOW = Temporal.Instant.from('2027-01-04T10:00:00Z');

const newSeries = (plan: { designPlanId?: number; revision?: number }) =>
  new SessionSeries({ id: 'S', clinicId: 1, caregiverId: 2, intervalDays: 7, reminders: [], ...plan }, CREATED_AT);

describe('a series with an applied plan', () => {
  it.each<[what: string, revision: number, newest: number]>([
    ['is moved to the newest revision', 5, 5],
    ['is moved to a newer revision that is not the newest', 3, 5],
  ])('%s', (_what, revision, newest) => {
    const series = newSeries({ designPlanId: 3, revision: 2 });
    series.revise(revision, newest, NOW);
    expect(series.requireAppliedPlan()).toEqual({ designPlanId: 3, revision });
    expect([series.version, series.changedAt?.toString()]).toEqual([2, NOW.toString()]);
  });

  it.each<[what: string, revision: number]>([
    ['is not moved to the same revision', 2],
    ['is not moved to an older revision', 1],
  ])('%s', (_what, revision) => {
    const series = newSeries({ designPlanId: 3, revision: 2 });
    const revise = () => series.revise(revision, 4, NOW);
    expect(revise).toThrow(
      new ConflictError('The series follows revision 2 already, and can only go on to a newer one; the plan has 4.'),
    );
    expect([series.revision, series.version, series.changedAt]).toEqual([2, 1, null]);
  });
});

describe('a series without an applied plan', () => {
  it.each<[what: string, plan: { designPlanId?: number }]>([
    ['that has no plan', {}],
    ['that has only the title of a plan', { designPlanId: 3 }],
  ])('%s, cannot be revised', (_what, plan) => {
    const refusal = new ConflictError('No Design Plan was applied to this series.');
    expect(() => newSeries(plan).requireAppliedPlan()).toThrow(refusal);
    expect(() => newSeries(plan).revise(2, 2, NOW)).toThrow(refusal);
  });
});
