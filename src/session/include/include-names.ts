import { z } from 'zod';
import { MAX_LISTED_CONFLICTS } from '../scheduling/schedule-conflict.js';
import { includeQuery } from '../../shared/validation/index.js';

/* The values that the query parameter `include` accepts, and what each value adds to an item. */

const PEOPLE = {
  client: '',
  careProvider: 'the name.',
} as const;

const CLIENT_INCLUDES = {
  ...PEOPLE,
  books: 'the titles of the homework.',
  progress: 'always included.',
  reminders: 'the next 20 reminders, as `remindersAhead`.',
} as const;

const STAFF_INCLUDES = {
  ...CLIENT_INCLUDES,
  conflicts: 'the first 10 overlaps.',
} as const;

const SESSION_INCLUDES = {
  ...STAFF_INCLUDES,
  conflicts: `always included, at most ${MAX_LISTED_CONFLICTS}.`,
} as const;

const HOMEWORK_INCLUDES = {
  ...PEOPLE,
  books: 'the title.',
  progress: 'of all homework of the Session.',
  reminders: 'always included.',
} as const;

export type IncludeName = keyof typeof STAFF_INCLUDES;

export const staffIncludeQuery = includeQuery(STAFF_INCLUDES);
export const clientIncludeQuery = includeQuery(CLIENT_INCLUDES);
export const homeworkIncludeQuery = includeQuery(HOMEWORK_INCLUDES);

/** Query parameters of an operation that reads one series. */
export const seriesReadQuery = z.object({ include: staffIncludeQuery });
/** Query parameters of an operation that reads one Session. */
export const sessionReadQuery = z.object({ include: includeQuery(SESSION_INCLUDES) });
export type StaffReadQuery = z.output<typeof seriesReadQuery>;
export const clientReadQuery = z.object({ include: clientIncludeQuery });
export type ClientReadQuery = z.output<typeof clientReadQuery>;

/** Returns the names in `include` except those of data that the response always contains. */
export function omitIncludes(
  include: ReadonlySet<IncludeName> | undefined,
  ...always: readonly IncludeName[]
): ReadonlySet<IncludeName> {
  return new Set([...(include ?? [])].filter((name) => !always.includes(name)));
}
