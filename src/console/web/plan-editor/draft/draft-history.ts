import { applyDraftAction, type DraftAction } from './draft-actions.js';
import { adoptDraftKeys, adoptWeekOrderings, type PlanDraft } from './draft.js';

/* A draft with its undo and redo history. */

export type DraftHistory = {
  /** The saved draft. Unsaved changes are the differences from it. */
  saved: PlanDraft;
  draft: PlanDraft;
  past: readonly PlanDraft[];
  future: readonly PlanDraft[];
  /** The text field that was changed last. Consecutive changes to it are undone together. */
  typing: string | undefined;
};

export type DraftHistoryAction =
  | DraftAction
  | { type: 'undo' }
  | { type: 'redo' }
  | { type: 'load'; draft: PlanDraft }
  /** Returns to the saved draft. Like any change, this can be undone. */
  | { type: 'discard' }
  /** `sent` has been saved as `saved`. Changes that were made since it was sent stay in the draft. */
  | { type: 'saved'; sent: PlanDraft; saved: PlanDraft };

const MAX_STEPS = 100;

export function startDraftHistory(draft: PlanDraft): DraftHistory {
  return { saved: draft, draft, past: [], future: [], typing: undefined };
}

export function updateDraftHistory(history: DraftHistory, action: DraftHistoryAction): DraftHistory {
  const { saved, draft, past, future, typing } = history;
  switch (action.type) {
    case 'load':
      return startDraftHistory(action.draft);
    case 'saved':
      if (draft !== action.sent) return keepLaterChanges(history, action);
      return startDraftHistory(adoptDraftKeys(action.saved, action.sent));
    case 'discard':
      return { saved, draft: saved, past: [...past, draft].slice(-MAX_STEPS), future: [], typing: undefined };
    case 'undo': {
      const before = past.at(-1);
      if (before === undefined) return history;
      return { saved, draft: before, past: past.slice(0, -1), future: [draft, ...future], typing: undefined };
    }
    case 'redo': {
      const [after, ...later] = future;
      if (after === undefined) return history;
      return { saved, draft: after, past: [...past, draft], future: later, typing: undefined };
    }
    default: {
      const changed = applyDraftAction(draft, action);
      if (changed === draft) return history;
      const typed = toTyping(action);
      const isGoingOn = typed !== undefined && typed === typing;
      const steps = isGoingOn ? past : [...past, draft].slice(-MAX_STEPS);
      return { saved, draft: changed, past: steps, future: [], typing: typed };
    }
  }
}

function keepLaterChanges(
  history: DraftHistory,
  { sent, saved }: Extract<DraftHistoryAction, { type: 'saved' }>,
): DraftHistory {
  const renumber = (draft: PlanDraft) => adoptWeekOrderings(draft, saved, sent);
  const [past, future] = [history.past.map(renumber), history.future.map(renumber)];
  return { ...history, saved, draft: renumber(history.draft), past, future };
}

function toTyping(action: DraftAction): string | undefined {
  if (action.type === 'text') return action.field;
  return action.type === 'nameWeek' ? action.weekKey : undefined;
}
