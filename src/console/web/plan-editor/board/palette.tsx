import { useMemo, useState } from 'preact/hooks';
import { useText } from '../../text/text.js';
import { Icon, IconButton, TextField } from '../../ui/index.js';
import type { BookLookup } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';
import { filterBooks } from './filter-books.js';
import { endDrag, startDrag } from './drag.js';

const MAX_SHOWN = 100;

/** Lists the available Books. The user can drag a Book into a week, or add it with a button. */
export function BookPalette({ bookLookup, onAdd }: { bookLookup: BookLookup; onAdd: (bookId: number) => void }) {
  const text = useText(planEditorText);
  const [search, setSearch] = useState('');
  const found = useMemo(() => filterBooks(bookLookup.usable, search), [bookLookup, search]);
  return (
    <aside class="plan-editor-palette no-print" aria-label={text.books}>
      <TextField label={text.searchBooks} type="search" value={search} onChange={setSearch} isRequired />
      {found.length === 0 && (
        <p class="quiet small">{bookLookup.usable.length === 0 ? text.noUsableBooks : text.noMatch}</p>
      )}
      <ul class="plan-editor-palette-list">
        {found.slice(0, MAX_SHOWN).map(({ id, title }) => (
          <li
            key={id}
            class="plan-editor-palette-book"
            draggable
            onDragStart={(event) => startDrag(event, { kind: 'book', bookId: id })}
            onDragEnd={endDrag}
          >
            <Icon name="grip" size={16} />
            <span class="plan-editor-palette-title">{title}</span>
            <IconButton icon="plus" label={text.addToWeeks(title)} onClick={() => onAdd(id)} />
          </li>
        ))}
      </ul>
      {found.length > MAX_SHOWN && <p class="quiet small">{text.refineSearch}</p>}
    </aside>
  );
}
