import { bookImportSchema } from '../dto/import-model.js';
import { bookQuery } from '../dto/record-query.js';
import { bookPageSchema, bookSchema, changeBookSchema, createBookSchema, putBookSchema } from '../dto/record-model.js';

/** The schemas of the operations on Books, for the shared catalogue as well as for the Books of a Clinic. */
export const BOOK_SCHEMAS = {
  schema: bookSchema,
  page: bookPageSchema,
  query: bookQuery,
  create: createBookSchema,
  put: putBookSchema,
  change: changeBookSchema,
  importLine: bookImportSchema,
};
