import { useMemo, useState } from 'preact/hooks';
import { Button, Dialog, Icon, TextField } from '../../ui/index.js';
import type { DraftWeek } from '../draft/draft.js';
import type { BookLookup } from '../plan-editor-data.js';
import { BoardMessage } from './board-message.js';
import { filterBooks } from './filter-books.js';
import type { PlanBoardState } from './use-plan-board.js';

const MAX_SHOWN = 100;

type AddBooksToWeekDialogProps = {
  weekKey: string;
  weeks: readonly DraftWeek[];
  bookLookup: BookLookup;
  board: PlanBoardState;
  onClose: () => void;
};

/** Lets the user add Books to one week. The dialog stays open, so that the user can add several Books. */
export function AddBooksToWeekDialog({ weekKey, weeks, bookLookup, board, onClose }: AddBooksToWeekDialogProps) {
  const { text } = board;
  const [search, setSearch] = useState('');
  const found = useMemo(() => filterBooks(bookLookup.usable, search), [bookLookup, search]);
  const index = weeks.findIndex(({ key }) => key === weekKey);
  const week = weeks[index];
  if (week === undefined) return null;
  const toggle = (bookId: number) => {
    const book = week.books.find((one) => one.bookId === bookId);
    if (book === undefined) board.addBook(bookId, [{ weekKey }]);
    else {
      const said = text.removedBook(board.toTitle(bookId), board.orderings[index]!);
      board.perform({ type: 'removeBook', bookKey: book.key }, said);
    }
  };
  return (
    <Dialog
      title={text.addBookTo(board.orderings[index]!)}
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          {text.ready}
        </Button>
      }
    >
      <TextField label={text.searchBooks} type="search" value={search} onChange={setSearch} isRequired />
      {found.length === 0 && <p class="quiet">{bookLookup.usable.length === 0 ? text.noUsableBooks : text.noMatch}</p>}
      <ul class="plan-editor-picks">
        {found.slice(0, MAX_SHOWN).map(({ id, title, description }) => (
          <li key={id}>
            <button
              type="button"
              class="plan-editor-pick"
              aria-pressed={week.books.some(({ bookId }) => bookId === id)}
              onClick={() => toggle(id)}
            >
              <span class="plan-editor-pick-mark">
                <Icon name="check" size={16} />
              </span>
              <span>
                {title}
                {description !== null && <span class="plan-editor-pick-text quiet small">{description}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.length > MAX_SHOWN && <p class="quiet small">{text.refineSearch}</p>}
      <BoardMessage board={board} />
    </Dialog>
  );
}
