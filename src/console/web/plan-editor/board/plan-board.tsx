import { useText } from '../../text/text.js';
import { Button, EmptyState, Notice } from '../../ui/index.js';
import { MAX_PLAN_WEEKS } from '../draft/draft-checks.js';
import type { DraftHistoryAction } from '../draft/draft-history.js';
import type { PlanDraft } from '../draft/draft.js';
import { hasGapsInOrderings } from '../draft/orderings.js';
import type { BookLookup } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';
import type { DraftErrorMessages } from '../use-plan-draft-editor.js';
import { BoardMessage } from './board-message.js';
import { BookDialog } from './book-dialog.js';
import { BookPalette } from './palette.js';
import { AddBooksToWeekDialog } from './add-books-to-week-dialog.js';
import { AddBookToWeeksDialog } from './add-book-to-weeks-dialog.js';
import { usePlanBoard, type PlanBoardState } from './use-plan-board.js';
import { WeekColumn } from './week-column.js';

type PlanBoardProps = {
  draft: PlanDraft;
  bookLookup: BookLookup;
  dispatch: (action: DraftHistoryAction) => void;
  findings: DraftErrorMessages;
  isReadOnly: boolean;
};

/** Shows the weeks as columns, next to a list of Books that can be dragged into them. */
export function PlanBoard({ draft, bookLookup, dispatch, findings, isReadOnly }: PlanBoardProps) {
  const text = useText(planEditorText);
  const board = usePlanBoard(draft, bookLookup, dispatch);
  const { weeks } = draft;
  const addWeek = () => board.perform({ type: 'addWeek' }, text.addedWeek(weeks.length + 1));
  return (
    <div class="plan-editor-board">
      <div class="plan-editor-board-head">
        <h2 id="plan-editor-weeks">{text.weeks(weeks.length)}</h2>
        {findings['weeks'] !== undefined && <p class="field-error">{findings['weeks']}</p>}
        {!isReadOnly && <p class="quiet small plan-editor-hint">{text.boardHint}</p>}
      </div>
      {!isReadOnly && hasGapsInOrderings(board.orderings) && (
        <Notice
          actions={
            <Button size="small" onClick={() => board.perform({ type: 'renumber' }, text.renumbered)}>
              {text.renumber(weeks.length)}
            </Button>
          }
        >
          <p>{text.gaps}</p>
        </Notice>
      )}
      <div class={`plan-editor-desk ${isReadOnly ? 'plan-editor-desk-read' : ''}`}>
        {!isReadOnly && (
          <BookPalette bookLookup={bookLookup} onAdd={(bookId) => board.open({ kind: 'spread', bookId })} />
        )}
        {/* The weeks scroll sideways, so keyboard users must be able to focus the list in order to scroll it. */}
        <div class="plan-editor-scroller" role="region" aria-labelledby="plan-editor-weeks" tabIndex={0}>
          <ol class="plan-editor-weeks">
            {weeks.map((week, index) => (
              <WeekColumn
                key={week.key}
                week={week}
                index={index}
                weeks={weeks}
                board={board}
                findings={findings}
                isReadOnly={isReadOnly}
              />
            ))}
            {!isReadOnly && weeks.length < MAX_PLAN_WEEKS && (
              <li class="plan-editor-new-week">
                {weeks.length === 0 && (
                  <EmptyState icon="plan" title={text.noWeeks}>
                    {text.noWeeksText}
                  </EmptyState>
                )}
                <Button id="plan-editor-add-week" icon="plus" onClick={addWeek}>
                  {text.addWeek}
                </Button>
              </li>
            )}
          </ol>
          {isReadOnly && weeks.length === 0 && <EmptyState icon="plan" title={text.noWeeks} />}
        </div>
      </div>
      <BoardMessage board={board} isShown={board.opened === undefined} />
      <Dialogs draft={draft} bookLookup={bookLookup} board={board} />
    </div>
  );
}

function Dialogs({ draft, bookLookup, board }: { draft: PlanDraft; bookLookup: BookLookup; board: PlanBoardState }) {
  const { opened, open } = board;
  const close = () => open(undefined);
  if (opened?.kind === 'book')
    return <BookDialog bookKey={opened.bookKey} weeks={draft.weeks} board={board} onClose={close} />;
  if (opened?.kind === 'pick')
    return (
      <AddBooksToWeekDialog
        weekKey={opened.weekKey}
        weeks={draft.weeks}
        bookLookup={bookLookup}
        board={board}
        onClose={close}
      />
    );
  if (opened?.kind === 'spread')
    return <AddBookToWeeksDialog bookId={opened.bookId} weeks={draft.weeks} board={board} onClose={close} />;
  return null;
}
