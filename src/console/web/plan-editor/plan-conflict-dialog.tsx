import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useText } from '../text/text.js';
import { ConflictDialog } from '../ui/index.js';
import { compareDrafts, type DraftDifference, type NamedWeek } from './draft/draft-differences.js';
import { toPlanDraft } from './draft/draft.js';
import type { BookLookup } from './plan-editor-data.js';
import { planEditorText } from './plan-editor.text.js';
import type { PlanDraftEditor } from './use-plan-draft-editor.js';
import { toBookTitle } from './book-title.js';

type Texts = (typeof planEditorText)['en'];
type Names = { bookLookup: BookLookup; careProviderNames: ReadonlyMap<number, string> };

/** Shown if another person has saved the plan. Shows the differences, and lets the user choose a version. */
export function PlanConflictDialog({ editor, ...names }: { editor: PlanDraftEditor } & Names) {
  const text = useText(planEditorText);
  const { conflict, history, isSaving, keepTheirs, saveMine, closeConflict } = editor;
  const differences = useMemo(
    () => (conflict === undefined ? [] : compareDrafts(toPlanDraft(conflict), history.draft)),
    [conflict, history.draft],
  );
  if (conflict === undefined) return null;
  return (
    <ConflictDialog
      fields={differences.map((difference) => ({
        label: difference.kind === 'week' ? text.week(difference.ordering) : text.fields[difference.kind],
        ...show(difference, text, names),
      }))}
      onKeepTheirs={keepTheirs}
      onSaveYours={saveMine}
      onClose={closeConflict}
      isBusy={isSaving}
    >
      <p>{differences.length === 0 ? text.conflictSame : text.conflictNote(conflict.revision)}</p>
    </ConflictDialog>
  );
}

function show(
  difference: DraftDifference,
  text: Texts,
  { bookLookup, careProviderNames }: Names,
): { theirs: ComponentChildren; yours: ComponentChildren } {
  switch (difference.kind) {
    case 'week': {
      const toWeek = (week: NamedWeek | undefined) => week && <WeekSummary week={week} bookLookup={bookLookup} />;
      return { theirs: toWeek(difference.theirs), yours: toWeek(difference.yours) };
    }
    case 'caregiverId': {
      const toName = (id: number | null) =>
        id === null ? undefined : (careProviderNames.get(id) ?? text.careProviderNumber(id));
      return { theirs: toName(difference.theirs), yours: toName(difference.yours) };
    }
    case 'template':
      return { theirs: text.yesNo(difference.theirs), yours: text.yesNo(difference.yours) };
    default:
      return { theirs: difference.theirs || undefined, yours: difference.yours || undefined };
  }
}

function WeekSummary({ week, bookLookup }: { week: NamedWeek; bookLookup: BookLookup }) {
  const text = useText(planEditorText);
  return (
    <div class="plan-editor-summary">
      <p class="plan-editor-summary-name">{week.name}</p>
      {week.books.length === 0 && <p class="quiet small">{text.noBooks}</p>}
      <ul class="plan-editor-summary-books">
        {week.books.map(({ key, bookId, reminders }) => (
          <li key={key}>
            {toBookTitle(bookId, bookLookup, text)}
            {reminders.length > 0 && (
              <span class="quiet small"> {reminders.map(({ day, time }) => text.dayTime(day, time)).join(', ')}</span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
