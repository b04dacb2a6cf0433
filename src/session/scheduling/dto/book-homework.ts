import { z } from 'zod';
import { formatInstant } from '../../../shared/persistence/index.js';
import { longId } from '../../../shared/validation/index.js';
import type { Homework } from '../../domain/homework.entity.js';

/** A Book that was assigned in a Session, and when the Client completed it. */
export const bookHomeworkSchema = z
  .object({
    id: longId('Id of the record.'),
    bookId: longId('The Book.'),
    bookTitle: z.string().meta({ description: 'Title of the Book.', example: 'Sleeping well' }),
    completedAt: z.string().nullable().meta({
      description: 'Time of completion by the Client. Null if it is not completed.',
      example: null,
    }),
  })
  .meta({ id: 'BookHomework', description: 'An assigned Book, and whether the Client has completed it.' });
export type BookHomework = z.output<typeof bookHomeworkSchema>;

export function toBookHomework(homework: readonly Homework[], titles: ReadonlyMap<number, string>): BookHomework[] {
  return homework.map(({ id, bookId, completedAt }) => ({
    ...{ id, bookId, bookTitle: titles.get(bookId) ?? '' },
    completedAt: completedAt && formatInstant(completedAt),
  }));
}
