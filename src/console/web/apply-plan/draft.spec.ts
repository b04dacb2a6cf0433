import { createInitialSessionTimes } from '../session-form/session-times.js';
import { chooseStepToShow, findFirstStepWithError, readId, toStepRoute, type ApplyPlanDraft } from './draft.js';

const when = createInitialSessionTimes('2027/03/01');
const draft = (planId?: number, clientId?: number, caregiverId?: number): ApplyPlanDraft => ({
  ...{ planId, clientId, caregiverId, when },
});

describe('the form that applies a plan', () => {
  it.each([
    [[], undefined],
    [['/date'], 2],
    [['/caregiverId', '/reminders/0'], 2],
    [['/fromWeek'], 1],
    [['/date', '/unknown'], 1],
  ])('finds the step of %j', (pointers, expected) => {
    expect(findFirstStepWithError(pointers)).toBe(expected);
  });

  it.each([
    ['3', draft(), false, 1],
    ['3', draft(1), false, 2],
    ['3', draft(1, 2), false, 3],
    ['3', draft(1, 2), true, 2],
    ['3', draft(1, 2, 3), true, 3],
    ['2', draft(1), false, 2],
    ['9', draft(1, 2), false, 1],
    [null, draft(1, 2), false, 1],
  ])('at step %s goes to the first that is not filled in', (asked, filled, isClinic, expected) => {
    expect(chooseStepToShow(asked, filled, isClinic)).toBe(expected);
  });

  it('keeps ids alone in its address', () => {
    expect(toStepRoute(2, { planId: 7, clientId: undefined })).toBe('/apply-plan?step=2&plan=7');
    expect(toStepRoute(3, { planId: 7, clientId: 8 })).toBe('/apply-plan?step=3&plan=7&client=8');
    expect([readId('12'), readId('0'), readId('x'), readId(null)]).toEqual([12, undefined, undefined, undefined]);
  });

  it.each([1_099_511_627_776, 999_999_999_999_999])('reads the id %i of an installation with an ID range', (id) => {
    expect(readId(String(id))).toBe(id);
  });
});
