import { isProblem, type DesignPlanModel } from '@care-scheduling/client';
import { useCallback, useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { allowLeaving } from '../app/leave-guard.js';
import { navigate } from '../app/router.js';
import { getApi } from '../data/api.js';
import { toFieldErrors } from '../data/problems.js';
import { isVersionConflict } from '../data/use-api-mutation.js';
import { getText } from '../text/text.js';
import { showProblem } from '../ui/index.js';
import { findDraftRuleViolations, mapErrorsToPlaces, type DraftErrorPlace } from './draft/draft-checks.js';
import {
  updateDraftHistory,
  startDraftHistory,
  type DraftHistory,
  type DraftHistoryAction,
} from './draft/draft-history.js';
import { EMPTY_DRAFT, isSameWhenSaved, toPlanDraft, type PlanDraft } from './draft/draft.js';
import { useSavePlan } from './plan-editor-data.js';
import { planEditorText } from './plan-editor.text.js';

/** Error messages, keyed by their place in the draft. */
export type DraftErrorMessages = Readonly<Record<DraftErrorPlace, string>>;

export type PlanDraftEditor = {
  /** The plan on which the draft is based; null for a new plan. */
  base: DesignPlanModel | null;
  history: DraftHistory;
  dispatch: (action: DraftHistoryAction) => void;
  isDirty: boolean;
  isSaving: boolean;
  findings: DraftErrorMessages;
  otherErrors: Readonly<Record<string, string>>;
  /** A version that another person has saved since the draft was started. */
  newer: DesignPlanModel | undefined;
  /** The version that another person has saved, while the user chooses between it and their own. */
  conflict: DesignPlanModel | undefined;
  save: () => void;
  showConflict: () => void;
  closeConflict: () => void;
  keepTheirs: () => void;
  saveMine: () => void;
};

/** Manages the draft of a plan. As long as the user has not changed the draft, it follows the saved plan. */
export function usePlanDraftEditor(plan: DesignPlanModel | undefined): PlanDraftEditor {
  const [base, setBase] = useState(plan ?? null);
  const [history, dispatch] = useReducer(updateDraftHistory, base, (first) =>
    startDraftHistory(first === null ? EMPTY_DRAFT : toPlanDraft(first)),
  );
  const [conflict, setConflict] = useState<DesignPlanModel>();
  const { draft, saved } = history;
  const isDirty = useMemo(() => !isSameWhenSaved(saved, draft), [saved, draft]);
  const load = useCallback((current: DesignPlanModel) => {
    setBase(current);
    setConflict(undefined);
    dispatch({ type: 'load', draft: toPlanDraft(current) });
  }, []);
  const hasNewer = plan !== undefined && base !== null && plan.version > base.version;
  useEffect(() => {
    if (hasNewer && !isDirty) load(plan);
  }, [plan, isDirty]);
  const saving = useSaving({ draft, base, load, onConflict: setConflict });
  const newer = hasNewer && isDirty ? plan : undefined;
  return {
    ...{ base, history, dispatch, isDirty, newer, conflict },
    ...{ isSaving: saving.isSaving, findings: saving.findings, otherErrors: saving.otherErrors },
    save: () => saving.save(base),
    showConflict: () => setConflict(newer),
    closeConflict: () => setConflict(undefined),
    keepTheirs: () => conflict !== undefined && load(conflict),
    saveMine: () => conflict !== undefined && saving.save(conflict),
  };
}

type SavingOptions = {
  draft: PlanDraft;
  base: DesignPlanModel | null;
  load: (plan: DesignPlanModel) => void;
  onConflict: (theirs: DesignPlanModel) => void;
};

const NOTHING = { places: {}, others: {} };

function useSaving({ draft, base, load, onConflict }: SavingOptions) {
  const [wasAsked, setAsked] = useState(false);
  const [refused, setRefused] = useState<ReturnType<typeof mapErrorsToPlaces>>(NOTHING);
  const saving = useSavePlan({
    done: ({ revision }) => getText(planEditorText).saved(revision),
    onDone: (plan) => {
      setAsked(false);
      allowLeaving();
      if (base === null) navigate(`/plan/${plan.id}`);
      else load(plan);
    },
    showsError: (error, input) => {
      if (isVersionConflict(error) && input.base !== null) {
        getApi().clinic.getDesignPlan({ id: input.base.id }).then(onConflict, showProblem);
        return true;
      }
      const placed = mapErrorsToPlaces(toFieldErrors(error), input.draft);
      setRefused(placed);
      return (isProblem(error, 'unprocessable') || isProblem(error, 'invalid-request')) && placed !== NOTHING;
    },
  });
  const found = useMemo(() => findDraftRuleViolations(draft), [draft]);
  const save = (version: DesignPlanModel | null) => {
    setRefused(NOTHING);
    setAsked(true);
    if (found.length === 0) saving.mutate({ base: version, draft });
  };
  const rules = getText(planEditorText).rules;
  const shown = found.filter(({ rule }) => wasAsked || rule !== 'empty');
  const own = Object.fromEntries(
    shown.map((one) => [one.place, one.rule === 'empty' ? rules.empty : rules[one.rule](one.max)]),
  );
  return {
    save,
    isSaving: saving.isPending,
    findings: { ...refused.places, ...own } as DraftErrorMessages,
    otherErrors: refused.others,
  };
}
