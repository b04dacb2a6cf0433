import type { DraftBook, DraftWeek } from '../draft/draft.js';
import type { DraftErrorMessages } from '../use-plan-draft-editor.js';
import { endDrag, startDrag } from './drag.js';
import { WeekReminderOverview } from './week-reminder-overview.js';
import { toBookElementId, type PlanBoardState } from './use-plan-board.js';

type BookCardProps = {
  book: DraftBook;
  weeks: readonly DraftWeek[];
  weekIndex: number;
  place: number;
  board: PlanBoardState;
  findings: DraftErrorMessages;
  isReadOnly: boolean;
  isDropBefore: boolean;
};

/** A Book in a week. A click opens its reminders. The user moves it by dragging, or with Alt and an arrow key. */
export function BookCard(props: BookCardProps) {
  const { book, weeks, weekIndex, place, board, findings, isReadOnly, isDropBefore } = props;
  const { text } = board;
  const title = board.toTitle(book.bookId);
  const error = findings[book.key];
  const content = (
    <>
      <span class="plan-editor-book-title">{title}</span>
      <WeekReminderOverview reminders={book.reminders} />
    </>
  );
  if (isReadOnly) return <li class="plan-editor-book plan-editor-book-read">{content}</li>;
  return (
    <li
      class={`plan-editor-book ${isDropBefore ? 'plan-editor-book-before' : ''}`}
      data-book={book.key}
      draggable
      onDragStart={(event) => startDrag(event, { kind: 'placed', bookKey: book.key })}
      onDragEnd={endDrag}
    >
      <button
        type="button"
        id={toBookElementId(book.key)}
        class="plan-editor-book-open"
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Alt+ArrowLeft Alt+ArrowRight Delete"
        aria-haspopup="dialog"
        aria-describedby={error === undefined ? undefined : `${book.key}-error`}
        onClick={() => board.open({ kind: 'book', bookKey: book.key })}
        onKeyDown={(event) => {
          if (event.key === 'Delete') board.removeBook(book.key);
          if (!event.altKey || !event.key.startsWith('Arrow')) return;
          // Also if the Book cannot move. Otherwise, the browser would go back or forward to another page.
          event.preventDefault();
          const target = toTarget(event.key, weeks, weekIndex, place);
          if (target !== undefined) board.moveBook(book.key, target);
        }}
      >
        {content}
      </button>
      {error !== undefined && (
        <p id={`${book.key}-error`} class="field-error">
          <span class="visually-hidden">{text.problem} </span>
          {error}
        </p>
      )}
    </li>
  );
}

/** Returns the target of an arrow key: another position in the week, or the end of an adjacent week. */
function toTarget(key: string, weeks: readonly DraftWeek[], weekIndex: number, place: number) {
  const isRightToLeft = document.dir === 'rtl';
  const [before, after] = isRightToLeft ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight'];
  if (key === before || key === after) {
    const week = weeks[weekIndex + (key === after ? 1 : -1)];
    return week && { weekKey: week.key, index: Math.min(place, week.books.length) };
  }
  const { key: weekKey, books } = weeks[weekIndex]!;
  if (key === 'ArrowUp' && place > 0) return { weekKey, index: place - 1 };
  if (key === 'ArrowDown' && place < books.length - 1) return { weekKey, index: place + 1 };
  return undefined;
}
