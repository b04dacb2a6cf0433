import { isProblem } from '@care-scheduling/client';
import type { UseQueryResult } from '@tanstack/preact-query';
import { useLayoutEffect, useState } from 'preact/hooks';
import { defineTexts, useText } from '../text/text.js';
import { Button } from './button.js';

const pagerText = defineTexts(
  { label: 'Pages', previous: 'Previous', next: 'Next', page: (number: number) => `Page ${number}` },
  {
    de: { label: 'Seiten', previous: 'Zurück', next: 'Weiter', page: (number) => `Seite ${number}` },
    es: { label: 'Páginas', previous: 'Anterior', next: 'Siguiente', page: (number) => `Página ${number}` },
    fr: { label: 'Pages', previous: 'Précédent', next: 'Suivant', page: (number) => `Page ${number}` },
  },
);

export type PageCursors = {
  /** The cursor of the current page; undefined for the first page. */
  cursor: string | undefined;
  number: number;
  back: () => void;
  next: (cursor: string) => void;
};

/**
 * Remembers the cursors of the pages of a list. If `key` changes, for example with a filter, the list starts again at
 * the first page.
 */
export function usePageCursors(key: string): PageCursors {
  const [state, setState] = useState<{ key: string; cursors: readonly string[] }>({ key, cursors: [] });
  const cursors = state.key === key ? state.cursors : [];
  return {
    cursor: cursors.at(-1),
    number: cursors.length + 1,
    back: () => setState({ key, cursors: cursors.slice(0, -1) }),
    next: (cursor) => setState({ key, cursors: [...cursors, cursor] }),
  };
}

/**
 * Goes back from a page that is no longer there. All its records may have left the list, for example because they were
 * sent again, or the service refuses its cursor, because the last record of the previous page has another name.
 */
export function useExistingPage(
  { cursor, back }: PageCursors,
  { data, error, isPlaceholderData }: UseQueryResult<{ items: readonly unknown[] }>,
): void {
  const isEmpty = data?.items.length === 0 && !isPlaceholderData;
  const isGone = cursor !== undefined && (isEmpty || isProblem(error, 'invalid-request'));
  // Before the page is painted, so that the list is not shown as empty.
  useLayoutEffect(() => {
    if (isGone) back();
  }, [isGone, cursor]);
}

type PagerProps = {
  /** The name of the list. Required if the page has another list with pages. */
  label?: string;
  pages: PageCursors;
  nextCursor: string | null;
  /** Whether the list still shows another page or other filters, whose cursor must not be used. */
  isLoading: boolean;
};

/** Buttons for the previous and the next page. They are not shown for a list with only one page. */
export function Pager({ label, pages, nextCursor, isLoading }: PagerProps) {
  const text = useText(pagerText);
  if (pages.number === 1 && nextCursor === null) return null;
  return (
    <nav class="row pager no-print" aria-label={label === undefined ? text.label : `${text.label}: ${label}`}>
      {/* The attribute `disabled` would take the focus away on the first and the last page. */}
      <Button size="small" aria-disabled={pages.number === 1} onClick={pages.back}>
        {text.previous}
      </Button>
      <span class="small quiet numeric" role="status">
        {text.page(pages.number)}
      </span>
      <Button
        size="small"
        aria-disabled={isLoading || nextCursor === null}
        onClick={() => nextCursor !== null && pages.next(nextCursor)}
      >
        {text.next}
      </Button>
    </nav>
  );
}
