import { z } from 'zod';
import { longId } from '../../../shared/validation/index.js';

/* The members that answers contain of other records. */

const name = (description: string, example: string) => z.string().meta({ description, example });

export const includedClientSchema = z
  .object({ id: longId('Id of the Client.'), name: name('Name of the Client.', 'Ada Lovelace') })
  .meta({ id: 'IncludedClient', description: 'The Client, by name.' });

export const includedCareProviderSchema = z
  .object({ id: longId('Id of the Care Provider.'), name: name('Name of the Care Provider.', 'Dr. Grace Hopper') })
  .meta({ id: 'IncludedCareProvider', description: 'The Care Provider, by name.' });

export const includedBookSchema = z
  .object({ id: longId('Id of the Book.'), title: name('Title of the Book.', 'Sleeping well') })
  .meta({ id: 'IncludedBook', description: 'A Book, by title.' });
