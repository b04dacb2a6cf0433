import type { DraftAction, BookPosition } from '../draft/draft-actions.js';
import type { DraftBook } from '../draft/draft.js';

/* The dragged item. It is stored here, because the browser does not reveal the data of a drag before the drop. */

export type DraggedItem =
  { kind: 'book'; bookId: number } | { kind: 'placed'; bookKey: string } | { kind: 'week'; weekKey: string };

let current: DraggedItem | undefined;

export function startDrag(event: DragEvent, dragged: DraggedItem): void {
  // Without this, the week that contains the Book would be dragged instead.
  event.stopPropagation();
  current = dragged;
  if (event.dataTransfer === null) return;
  event.dataTransfer.effectAllowed = dragged.kind === 'book' ? 'copy' : 'move';
  // Firefox starts a drag only if data is set.
  event.dataTransfer.setData('text/plain', '');
}

export function endDrag(): void {
  current = undefined;
}

export function getDraggedItem(): DraggedItem | undefined {
  return current;
}

/** Returns the action that results from dropping an item on a week. */
export function toDropAction(dragged: DraggedItem, target: Required<BookPosition>, weekIndex: number): DraftAction {
  switch (dragged.kind) {
    case 'book':
      return { type: 'addBook', bookId: dragged.bookId, targets: [target] };
    case 'placed':
      return { type: 'moveBook', bookKey: dragged.bookKey, target };
    case 'week':
      return { type: 'moveWeek', weekKey: dragged.weekKey, index: weekIndex };
  }
}

/** Returns the key of the Book before which an item will be; undefined at the end of the list. */
export function toDropMark(books: readonly DraftBook[], dropIndex: number, dragged: DraggedItem): string | undefined {
  // The drop index does not count the dragged Book.
  const others = books.filter(({ key }) => dragged.kind !== 'placed' || key !== dragged.bookKey);
  return others[dropIndex]?.key;
}

/** Returns the index at which an item that is dropped at a height enters a week's list. The dragged Book is not counted. */
export function toDropIndex(list: HTMLElement, height: number, dragged: DraggedItem): number {
  const items = [...list.querySelectorAll<HTMLElement>(':scope > [data-book]')].filter(
    ({ dataset }) => dragged.kind !== 'placed' || dataset['book'] !== dragged.bookKey,
  );
  const place = items.findIndex((item) => {
    const { top, height: size } = item.getBoundingClientRect();
    return height < top + size / 2;
  });
  return place === -1 ? items.length : place;
}
