import type { BookLookup } from './plan-editor-data.js';
import type { planEditorText } from './plan-editor.text.js';

/** Returns the title of a Book, or its ID if the Clinic no longer has the Book. */
export function toBookTitle(bookId: number, bookLookup: BookLookup, text: (typeof planEditorText)['en']): string {
  return bookLookup.find(bookId)?.title ?? text.bookNumber(bookId);
}
