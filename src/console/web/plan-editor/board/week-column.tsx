import { useState } from 'preact/hooks';
import { IconButton, Button } from '../../ui/index.js';
import { MAX_BOOKS_PER_WEEK, toWeekNamePlace } from '../draft/draft-checks.js';
import type { DraftWeek } from '../draft/draft.js';
import type { DraftErrorMessages } from '../use-plan-draft-editor.js';
import { BookCard } from './book-card.js';
import { endDrag, getDraggedItem, startDrag, toDropAction, toDropIndex, toDropMark, type DraggedItem } from './drag.js';
import { toWeekElementId, type PlanBoardState } from './use-plan-board.js';

type WeekColumnProps = {
  week: DraftWeek;
  index: number;
  weeks: readonly DraftWeek[];
  board: PlanBoardState;
  findings: DraftErrorMessages;
  isReadOnly: boolean;
};

/** Shows one week: its name, its actions and its Books. Books and other weeks can be dropped on it. */
export function WeekColumn(props: WeekColumnProps) {
  const { week, index, weeks, board, findings, isReadOnly } = props;
  const { text } = board;
  const [drop, setDrop] = useState<{ before: string | undefined }>();
  const onDragOver = (event: DragEvent & { currentTarget: HTMLElement }) => {
    const dragged = getDraggedItem();
    if (dragged === undefined || isReadOnly) return;
    event.preventDefault();
    const place = toPlace(event, dragged);
    const before = dragged.kind === 'week' ? undefined : toDropMark(week.books, place, dragged);
    if (drop === undefined || drop.before !== before) setDrop({ before });
  };
  const onDrop = (event: DragEvent & { currentTarget: HTMLElement }) => {
    const dragged = getDraggedItem();
    setDrop(undefined);
    if (dragged === undefined) return;
    event.preventDefault();
    const place = toPlace(event, dragged);
    const said = dragged.kind === 'week' ? text.movedWeek(index + 1) : text.droppedIn(board.orderings[index]!);
    board.perform(toDropAction(dragged, { weekKey: week.key, index: place }, index), said);
    endDrag();
  };
  const error = findings[week.key];
  return (
    <li
      class={`plan-editor-week ${drop === undefined ? '' : 'plan-editor-week-over'}`}
      onDragOver={onDragOver}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDrop(undefined);
      }}
      onDrop={onDrop}
    >
      <WeekHead {...props} />
      {findings[toWeekNamePlace(week.key)] !== undefined && (
        <p id={`${week.key}-name-error`} class="field-error">
          {findings[toWeekNamePlace(week.key)]}
        </p>
      )}
      {error !== undefined && <p class="field-error">{error}</p>}
      <ul class="plan-editor-books">
        {week.books.map((book, place) => (
          <BookCard
            key={book.key}
            {...{ book, board, findings, isReadOnly, weeks }}
            weekIndex={index}
            place={place}
            isDropBefore={drop?.before === book.key}
          />
        ))}
      </ul>
      {week.books.length === 0 && <p class="plan-editor-no-books quiet small">{text.noBooks}</p>}
      {!isReadOnly && week.books.length < MAX_BOOKS_PER_WEEK && (
        <Button
          id={toWeekElementId(week.key, 'add')}
          size="small"
          variant="quiet"
          icon="plus"
          aria-label={text.addBookTo(board.orderings[index]!)}
          onClick={() => board.open({ kind: 'pick', weekKey: week.key })}
        >
          {text.addBook}
        </Button>
      )}
    </li>
  );
}

function toPlace({ currentTarget, clientY }: DragEvent & { currentTarget: HTMLElement }, dragged: DraggedItem): number {
  const list = currentTarget.querySelector<HTMLElement>('.plan-editor-books')!;
  return dragged.kind === 'week' ? 0 : toDropIndex(list, clientY, dragged);
}

function WeekHead({ week, index, weeks, board, findings, isReadOnly }: WeekColumnProps) {
  const { text } = board;
  const ordering = board.orderings[index]!;
  const isWrong = findings[toWeekNamePlace(week.key)] !== undefined;
  const number = text.week(ordering);
  if (isReadOnly) return <h3 class="plan-editor-week-title">{week.name || number}</h3>;
  return (
    <div
      class="plan-editor-week-head"
      draggable
      onDragStart={(event) => startDrag(event, { kind: 'week', weekKey: week.key })}
      onDragEnd={endDrag}
    >
      <div class="plan-editor-week-row">
        <h3 class="plan-editor-week-title">{number}</h3>
        <IconButton
          id={toWeekElementId(week.key, 'earlier')}
          icon="start"
          label={text.moveEarlier(ordering)}
          aria-disabled={index === 0 ? true : undefined}
          onClick={() => board.moveWeek(week.key, index - 1, 'earlier')}
        />
        <IconButton
          id={toWeekElementId(week.key, 'later')}
          icon="arrow"
          label={text.moveLater(ordering)}
          aria-disabled={index === weeks.length - 1 ? true : undefined}
          onClick={() => board.moveWeek(week.key, index + 1, 'later')}
        />
        <IconButton
          icon="copy"
          label={text.duplicateWeek(ordering)}
          onClick={() =>
            board.perform({ type: 'duplicateWeek', weekKey: week.key }, text.duplicatedWeek(ordering, ordering + 1))
          }
        />
        <IconButton icon="trash" label={text.removeWeek(ordering)} onClick={() => board.removeWeek(week.key)} />
      </div>
      <input
        id={toWeekElementId(week.key, 'name')}
        class="plan-editor-week-name"
        aria-label={text.weekName(ordering)}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? `${week.key}-name-error` : undefined}
        placeholder={text.nameWeek}
        value={week.name}
        onInput={(event) => board.perform({ type: 'nameWeek', weekKey: week.key, name: event.currentTarget.value }, '')}
      />
    </div>
  );
}
