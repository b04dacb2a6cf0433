import { z } from 'zod';
import {
  booleanQuery,
  countQuery,
  pageQuery,
  requiredText,
  sortQuery,
  type SortOrder,
} from '../../shared/validation/index.js';

/* Query parameters of the lists of directory records. */

const SEARCH = 'Only records whose name contains all of these words. Case and accents are ignored: `jose` finds José.';
const SORT = 'Order. Records with the same value are ordered by id.';

/** Without `active`, a list contains both active and deactivated records. */
const listQuery = pageQuery.extend({
  active: booleanQuery.optional().meta({
    description: 'Only active (true) or only deactivated (false) records. Default: both.',
    // Documented as a boolean, although query values are strings.
    type: 'boolean',
    enum: undefined,
    example: true,
  }),
  count: countQuery,
});

/** Query parameters of the list of Clinics. */
export const clinicQuery = listQuery.extend({ sort: sortQuery(['createdAt'], SORT) });

/** Query parameters of the lists of Clients and Care Providers. */
export const personQuery = listQuery.extend({
  name: requiredText(100).optional().meta({ description: SEARCH, example: 'jose' }),
  sort: sortQuery(['createdAt', 'name'], SORT),
});

/** Query parameters of the lists of Books. */
export const bookQuery = listQuery.extend({
  title: requiredText(100)
    .optional()
    .meta({
      description: SEARCH.replace('name', 'title').replace('`jose` finds José', '`habitos` finds Hábitos'),
      example: 'sleep',
    }),
  sort: sortQuery(['createdAt', 'title'], SORT),
});

export type PersonQuery = z.output<typeof personQuery>;
export type ClinicQuery = z.output<typeof clinicQuery>;
export type BookQuery = z.output<typeof bookQuery>;

/** The query of any list of records. The name of a Book is its title. */
export type RecordQuery = Omit<PersonQuery, 'sort'> & { sort: SortOrder<'createdAt' | 'name'> };
