import { useState } from 'preact/hooks';
import { Button, CheckboxField, Dialog } from '../../ui/index.js';
import type { DraftWeek } from '../draft/draft.js';
import type { PlanBoardState } from './use-plan-board.js';

type AddBookToWeeksDialogProps = {
  bookId: number;
  weeks: readonly DraftWeek[];
  board: PlanBoardState;
  onClose: () => void;
};

/** Lets the user add one Book to several weeks. */
export function AddBookToWeeksDialog({ bookId, weeks, board, onClose }: AddBookToWeeksDialogProps) {
  const { text } = board;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const open = weeks.filter(({ books }) => !books.some((book) => book.bookId === bookId));
  const targets = open.filter(({ key }) => chosen.has(key)).map(({ key }) => ({ weekKey: key }));
  const choose = (key: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(key);
    else next.delete(key);
    setChosen(next);
  };
  const toLabel = ({ key, name }: DraftWeek) => {
    const number = text.week(board.orderings[weeks.findIndex((week) => week.key === key)]!);
    return name === '' ? number : `${number} · ${name}`;
  };
  return (
    <Dialog
      title={text.addToWeeks(board.toTitle(bookId))}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button
            variant="primary"
            aria-disabled={targets.length === 0 ? true : undefined}
            onClick={() => {
              onClose();
              board.addBook(bookId, targets);
            }}
          >
            {text.addToCount(targets.length)}
          </Button>
        </>
      }
    >
      {open.length === 0 ? (
        <p>{weeks.length === 0 ? text.noWeeks : text.inAllWeeks}</p>
      ) : (
        <fieldset class="plan-editor-choices">
          <legend class="visually-hidden">{text.chooseWeeks}</legend>
          {open.map((week) => (
            <CheckboxField
              key={week.key}
              label={toLabel(week)}
              checked={chosen.has(week.key)}
              onChange={(isChosen) => choose(week.key, isChosen)}
            />
          ))}
        </fieldset>
      )}
      {open.length > 1 && (
        <Button
          size="small"
          variant="quiet"
          onClick={() => setChosen(new Set(targets.length === open.length ? [] : open.map(({ key }) => key)))}
        >
          {targets.length === open.length ? text.chooseNone : text.chooseAll}
        </Button>
      )}
    </Dialog>
  );
}
