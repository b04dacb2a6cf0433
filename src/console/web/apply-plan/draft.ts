import type { SessionTimesFormValues } from '../session-form/session-times.js';

/** The user's choices so far. They are kept when the user goes back to an earlier step. */
export type ApplyPlanDraft = {
  planId: number | undefined;
  clientId: number | undefined;
  /** The Care Provider, which a Clinic must choose. */
  caregiverId: number | undefined;
  when: SessionTimesFormValues;
};

export type ApplyPlanStep = 1 | 2 | 3;

/** Whether the user has entered something. A chosen plan does not count, because one click chooses it again. */
export function hasEntries(draft: ApplyPlanDraft, initial: ApplyPlanDraft): boolean {
  const toEntries = ({ clientId, caregiverId, when }: ApplyPlanDraft) => JSON.stringify([clientId, caregiverId, when]);
  return toEntries(draft) !== toEntries(initial);
}

const STEP_TWO = ['/clientId', '/caregiverId', '/date', '/time', '/durationMinutes', '/intervalDays', '/offset'];

/** Returns the earliest step with a field that the service has refused, or undefined if no field was refused. */
export function findFirstStepWithError(pointers: readonly string[]): ApplyPlanStep | undefined {
  if (pointers.length === 0) return undefined;
  return pointers.every(isOfStepTwo) ? 2 : 1;
}

/** Returns the errors of fields that step 2 does not show. */
export function listErrorsOfStepOne(errors: Readonly<Record<string, string>>): string[] {
  return Object.entries(errors)
    .filter(([pointer]) => !isOfStepTwo(pointer))
    .map(([, detail]) => detail);
}

function isOfStepTwo(pointer: string): boolean {
  return STEP_TWO.includes(pointer) || pointer.startsWith('/reminders');
}

/** Returns the step in the URL, or the first step that is incomplete. */
export function chooseStepToShow(
  asked: string | null,
  { planId, clientId, caregiverId }: ApplyPlanDraft,
  isClinic: boolean,
): ApplyPlanStep {
  const wanted = asked === '3' ? 3 : asked === '2' ? 2 : 1;
  if (planId === undefined) return 1;
  if (wanted === 3 && (clientId === undefined || (isClinic && caregiverId === undefined))) return 2;
  return wanted;
}

/** Returns the route of a step. It contains only IDs, because other choices must not appear in URLs. */
export function toStepRoute(
  step: ApplyPlanStep,
  { planId, clientId }: Pick<ApplyPlanDraft, 'planId' | 'clientId'>,
): string {
  const query = new URLSearchParams({ step: String(step) });
  if (planId !== undefined) query.set('plan', String(planId));
  if (clientId !== undefined) query.set('client', String(clientId));
  return `/apply-plan?${query.toString()}`;
}

export function readId(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}
