import { z } from 'zod';
import { longId } from '../../shared/validation/index.js';

/* Schemas of directory data that the responses of other modules include. */

const text = (description: string, example: string) => z.string().meta({ description, example });

export const includedClientSchema = z
  .object({ id: longId('Id of the record.'), name: text('Name of the Client.', 'Ada Lovelace') })
  .meta({ id: 'IncludedClient', description: 'Id and name of the Client.' });

export const includedCareProviderSchema = z
  .object({ id: longId('Id of the record.'), name: text('Name of the Care Provider.', 'Dr. Grace Hopper') })
  .meta({ id: 'IncludedCareProvider', description: 'Id and name of the Care Provider.' });

/** Creates the schema of a Client that a response contains only if the request includes it. */
export const createOptionalClientSchema = (description: string) =>
  includedClientSchema.optional().meta({ description, example: { id: 1, name: 'Ada Lovelace' } });

/** Creates the schema of a Care Provider that a response contains only if the request includes it. */
export const createOptionalCareProviderSchema = (description: string) =>
  includedCareProviderSchema.optional().meta({ description, example: { id: 1, name: 'Dr. Grace Hopper' } });

export const includedBookSchema = z
  .object({ id: longId('Id of the record.'), title: text('Title of the Book.', 'Sleeping well') })
  .meta({ id: 'IncludedBook', description: 'Id and title of a Book.' });
export type IncludedBook = z.output<typeof includedBookSchema>;

/** The schema of homework progress: the numbers of assigned and completed homework. */
export const homeworkProgressSchema = z
  .object({
    done: z.int().meta({ description: 'Books that the Client has done.', example: 3 }),
    total: z.int().meta({ description: 'Books assigned.', example: 4 }),
  })
  .meta({ id: 'Progress', description: 'Progress of the homework.' });
export type HomeworkProgress = z.output<typeof homeworkProgressSchema>;

/** Counts the homework, and how much of it is completed. */
export function countHomeworkProgress(homework: readonly { completedAt: unknown }[]): HomeworkProgress {
  return { done: homework.filter((item) => item.completedAt !== null).length, total: homework.length };
}
