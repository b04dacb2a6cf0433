import { Button, Dialog, Notice, SelectField } from '../../ui/index.js';
import { findDraftBook } from '../draft/draft-actions.js';
import { MAX_REMINDERS_PER_BOOK } from '../draft/draft-checks.js';
import type { DraftWeek } from '../draft/draft.js';
import { BoardMessage } from './board-message.js';
import { ReminderGrid } from './reminder-grid.js';
import type { PlanBoardState } from './use-plan-board.js';

type BookDialogProps = { bookKey: string; weeks: readonly DraftWeek[]; board: PlanBoardState; onClose: () => void };

/**
 * Lets the user edit the reminders, week and position of one Book. Each change applies immediately, and can be undone.
 */
export function BookDialog({ bookKey, weeks, board, onClose }: BookDialogProps) {
  const { text } = board;
  const found = findDraftBook(weeks, bookKey);
  if (found === undefined) return null;
  const { week, weekIndex, book, index } = found;
  const places = week.books.map((_, place) => ({ value: String(place), label: text.place(place + 1) }));
  return (
    <Dialog
      title={board.toTitle(book.bookId)}
      onClose={onClose}
      size="wide"
      actions={
        <>
          <Button
            variant="danger"
            icon="trash"
            onClick={() => {
              onClose();
              board.removeBook(bookKey);
            }}
          >
            {text.removeFromWeek(board.orderings[weekIndex]!)}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {text.ready}
          </Button>
        </>
      }
    >
      <section class="stack" aria-labelledby="plan-editor-reminders">
        <h3 id="plan-editor-reminders">{text.reminders}</h3>
        <ReminderGrid
          key={bookKey}
          reminders={book.reminders}
          onChange={(reminders) => board.perform({ type: 'reminders', bookKey, reminders }, '')}
        />
        {book.reminders.length > MAX_REMINDERS_PER_BOOK && (
          <Notice tone="danger">{text.rules.many(MAX_REMINDERS_PER_BOOK)}</Notice>
        )}
      </section>
      <section class="plan-editor-move" aria-label={text.move}>
        <SelectField
          label={text.moveToWeek}
          value={week.key}
          options={weeks.map(({ key, name }, place) => ({
            value: key,
            label: name === '' ? text.week(board.orderings[place]!) : `${board.orderings[place]} · ${name}`,
          }))}
          onChange={(weekKey) => board.moveBook(bookKey, { weekKey })}
          isRequired
        />
        <SelectField
          label={text.moveToPlace}
          value={String(index)}
          options={places}
          onChange={(place) => board.moveBook(bookKey, { weekKey: week.key, index: Number(place) })}
          isRequired
        />
      </section>
      <BoardMessage board={board} />
    </Dialog>
  );
}
