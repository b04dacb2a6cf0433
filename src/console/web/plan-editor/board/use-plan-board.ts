import { useEffect, useRef, useState } from 'preact/hooks';
import { useText } from '../../text/text.js';
import { useCloseWhenGone } from '../../ui/index.js';
import { toBookTitle } from '../book-title.js';
import { findDraftBook, findMergedBook, type DraftAction, type BookPosition } from '../draft/draft-actions.js';
import type { PlanDraft, DraftWeek } from '../draft/draft.js';
import { assignWeekOrderings } from '../draft/orderings.js';
import type { BookLookup } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';

/** The dialogs of the board, of which at most one is open. */
export type PlanBoardDialog =
  { kind: 'book'; bookKey: string } | { kind: 'pick'; weekKey: string } | { kind: 'spread'; bookId: number };

export const toBookElementId = (bookKey: string) => `plan-editor-book-${bookKey}`;
export const toWeekElementId = (weekKey: string, part: 'add' | 'earlier' | 'later' | 'name') =>
  `plan-editor-week-${weekKey}-${part}`;

export type PlanBoardState = ReturnType<typeof usePlanBoard>;

/** Provides the actions on the board. Each action is announced to screen readers, and a moved item keeps the focus. */
export function usePlanBoard(draft: PlanDraft, bookLookup: BookLookup, dispatch: (action: DraftAction) => void) {
  const text = useText(planEditorText);
  const [message, setMessage] = useState('');
  const [opened, setOpened] = useState<PlanBoardDialog>();
  const focusId = useRef<string>();
  // A removed Book or week returns if the user takes the removal back.
  useCloseWhenGone(opened, opened !== undefined && !isInDraft(opened, draft.weeks), setOpened);
  useEffect(() => {
    if (focusId.current === undefined) return;
    document.getElementById(focusId.current)?.focus();
    focusId.current = undefined;
  });
  const orderings = assignWeekOrderings(draft.weeks);
  const toTitle = (bookId: number) => toBookTitle(bookId, bookLookup, text);
  const open = (dialog: PlanBoardDialog | undefined) => {
    // The dialog and the board announce only what happens while they are used.
    setMessage('');
    setOpened(dialog);
  };
  const perform: Perform = (action, said, focus) => {
    focusId.current = focus;
    // A text that stays the same would not be announced again, for example when a removal is repeated after an undo.
    setMessage((current) => (current === said && said !== '' ? `${said}\u00A0` : said));
    dispatch(action);
  };
  const context = { text, weeks: draft.weeks, orderings, toTitle, perform };
  return {
    ...{ text, message, opened, open, orderings, toTitle, perform },
    ...listBookMoves(context),
    ...listWeekMoves(context),
  };
}

function isInDraft(opened: PlanBoardDialog, weeks: readonly DraftWeek[]): boolean {
  if (opened.kind === 'spread') return true;
  return opened.kind === 'book'
    ? findDraftBook(weeks, opened.bookKey) !== undefined
    : weeks.some(({ key }) => key === opened.weekKey);
}

type Perform = (action: DraftAction, said: string, focus?: string) => void;
type Context = {
  text: (typeof planEditorText)['en'];
  weeks: readonly DraftWeek[];
  orderings: readonly number[];
  toTitle: (bookId: number) => string;
  perform: Perform;
};

const toNumber = ({ weeks, orderings }: Context, weekKey: string) =>
  orderings[weeks.findIndex(({ key }) => key === weekKey)] ?? 0;

function listBookMoves(context: Context) {
  const { text, weeks, toTitle, perform } = context;
  const addBook = (bookId: number, targets: readonly BookPosition[]) =>
    perform({ type: 'addBook', bookId, targets }, text.addedBook(toTitle(bookId), targets.length));
  const moveBook = (bookKey: string, target: BookPosition) => {
    const found = findDraftBook(weeks, bookKey);
    if (found === undefined) return;
    const title = toTitle(found.book.bookId);
    const number = toNumber(context, target.weekKey);
    const merged = findMergedBook(weeks, found.book, target.weekKey);
    const last = weeks.find(({ key }) => key === target.weekKey)?.books.length ?? 0;
    const said =
      merged === undefined ? text.movedBook(title, number, (target.index ?? last) + 1) : text.mergedBook(title, number);
    perform({ type: 'moveBook', bookKey, target }, said, toBookElementId(merged?.key ?? bookKey));
  };
  const removeBook = (bookKey: string) => {
    const found = findDraftBook(weeks, bookKey);
    if (found === undefined) return;
    const { key } = found.week;
    const said = text.removedBook(toTitle(found.book.bookId), toNumber(context, key));
    perform({ type: 'removeBook', bookKey }, said, toWeekElementId(key, 'add'));
  };
  return { addBook, moveBook, removeBook };
}

function listWeekMoves(context: Context) {
  const { text, weeks, perform } = context;
  const moveWeek = (weekKey: string, index: number, part: 'earlier' | 'later') => {
    if (index < 0 || index >= weeks.length) return;
    perform({ type: 'moveWeek', weekKey, index }, text.movedWeek(index + 1), toWeekElementId(weekKey, part));
  };
  const removeWeek = (weekKey: string) => {
    const index = weeks.findIndex(({ key }) => key === weekKey);
    const next = weeks[index + 1] ?? weeks[index - 1];
    const focus = next === undefined ? 'plan-editor-add-week' : toWeekElementId(next.key, 'name');
    perform({ type: 'removeWeek', weekKey }, text.removedWeek(toNumber(context, weekKey)), focus);
  };
  return { moveWeek, removeWeek };
}
