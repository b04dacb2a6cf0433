import { isProblem, type DesignPlanModel } from '@care-scheduling/client';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { replaceRoute } from '../app/router.js';
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
  useEffect(() => {
    // The page of the new plan starts with the saved plan, so it is opened only when nothing else is unsaved.
    if (plan !== undefined || base === null || isDirty) return;
    // The button Back leads past the empty page of a new plan.
    replaceRoute(`/plan/${base.id}`);
  }, [plan, base, isDirty]);
  const onSaved = (current: DesignPlanModel, sent: PlanDraft) => {
    setBase(current);
    setConflict(undefined);
    dispatch({ type: 'saved', sent, saved: toPlanDraft(current) });
  };
  const saving = useSaving({ draft, onSaved, onConflict: setConflict });
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
  onSaved: (plan: DesignPlanModel, sent: PlanDraft) => void;
  onConflict: (theirs: DesignPlanModel) => void;
};

const NOTHING = { places: {}, others: {} };

function useSaving({ draft, onSaved, onConflict }: SavingOptions) {
  // A reference, because a second Ctrl+S can arrive before the state of the request is rendered.
  const isRunning = useRef(false);
  const [wasAsked, setAsked] = useState(false);
  const [refused, setRefused] = useState<ReturnType<typeof mapErrorsToPlaces>>(NOTHING);
  const saving = useSavePlan({
    done: ({ revision }) => getText(planEditorText).saved(revision),
    onDone: (plan, input) => {
      setAsked(false);
      onSaved(plan, input.draft);
    },
    showsError: (error, input) => {
      if (isVersionConflict(error) && input.base !== null) {
        getApi().clinic.getDesignPlan({ id: input.base.id }).then(onConflict, showProblem);
        return true;
      }
      setRefused(mapErrorsToPlaces(toFieldErrors(error), input.draft));
      return isProblem(error, 'unprocessable') || isProblem(error, 'invalid-request');
    },
  });
  const found = useMemo(() => findDraftRuleViolations(draft), [draft]);
  const save = (version: DesignPlanModel | null) => {
    if (isRunning.current) return;
    setRefused(NOTHING);
    setAsked(true);
    if (found.length > 0) return;
    isRunning.current = true;
    const end = () => void (isRunning.current = false);
    saving.mutateAsync({ base: version, draft }).then(end, end);
  };
  const own = toMessages(found.filter(({ rule }) => wasAsked || rule !== 'empty'));
  return {
    save,
    isSaving: saving.isPending,
    findings: { ...refused.places, ...own } as DraftErrorMessages,
    otherErrors: refused.others,
  };
}

function toMessages(violations: ReturnType<typeof findDraftRuleViolations>) {
  const { rules } = getText(planEditorText);
  return Object.fromEntries(
    violations.map((one) => [one.place, one.rule === 'empty' ? rules.empty : rules[one.rule](one.max)]),
  );
}
