import { useLayoutEffect } from 'preact/hooks';
import { useText } from '../text/text.js';
import { Button, IconButton } from '../ui/index.js';
import { planEditorText } from './plan-editor.text.js';
import type { PlanDraftEditor } from './use-plan-draft-editor.js';

/**
 * A bar at the bottom of the page. It shows whether there are unsaved changes, and has buttons for undo, redo and
 * saving.
 */
export function SaveBar({ editor }: { editor: PlanDraftEditor }) {
  const text = useText(planEditorText);
  const { base, history, dispatch, isDirty, isSaving, findings, otherErrors, save } = editor;
  const others = Object.entries(otherErrors);
  const count = Object.keys(findings).length + others.length;
  useShortcuts(editor);
  return (
    <div class="plan-editor-save no-print">
      {others.length > 0 && (
        <ul class="plan-editor-errors" role="alert">
          {others.map(([pointer, detail]) => (
            <li key={pointer} lang="en">
              {detail}
            </li>
          ))}
        </ul>
      )}
      <div class="plan-editor-save-row">
        <IconButton
          icon="undo"
          label={text.undo}
          aria-disabled={history.past.length === 0 ? true : undefined}
          onClick={() => dispatch({ type: 'undo' })}
        />
        <IconButton
          icon="redo"
          label={text.redo}
          aria-disabled={history.future.length === 0 ? true : undefined}
          onClick={() => dispatch({ type: 'redo' })}
        />
        <p class="plan-editor-save-state small" role="status">
          {count > 0 ? (
            <span class="plan-editor-save-wrong">{text.problems(count)}</span>
          ) : isDirty ? (
            text.unsaved
          ) : base === null ? (
            text.nothingYet
          ) : (
            text.allSaved
          )}
        </p>
        {isDirty && base !== null && (
          <Button variant="quiet" onClick={() => dispatch({ type: 'discard' })}>
            {text.discard}
          </Button>
        )}
        <Button
          variant="primary"
          isBusy={isSaving}
          aria-disabled={!isDirty && base !== null ? true : undefined}
          onClick={() => save()}
        >
          {base === null ? text.createPlan : text.saveRevision(base.revision + 1)}
        </Button>
      </div>
    </div>
  );
}

const TEXT_FIELDS = 'input:not([type=checkbox]), textarea';

/** Ctrl+S or Cmd+S saves the plan, and Ctrl+Z or Cmd+Z undoes a change. In a text field, the browser handles undo. */
function useShortcuts({ save, dispatch, isDirty }: PlanDraftEditor): void {
  // Before the page is painted, so that a shortcut directly after a change uses its state.
  useLayoutEffect(() => {
    const follow = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const isInText = event.target instanceof HTMLElement && event.target.matches(TEXT_FIELDS);
      const key = event.key.toLowerCase();
      if (key === 's') {
        event.preventDefault();
        if (isDirty) save();
      } else if (key === 'z' && !isInText) {
        event.preventDefault();
        dispatch({ type: event.shiftKey ? 'redo' : 'undo' });
      }
    };
    window.addEventListener('keydown', follow);
    return () => window.removeEventListener('keydown', follow);
  });
}
