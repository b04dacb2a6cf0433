import { z } from 'zod';
import { includeQuery } from '../../shared/validation/index.js';

/* The values that the query parameter `include` accepts. */

const CLIENT_INCLUDES = ['client', 'careProvider', 'books', 'progress', 'reminders'] as const;
const STAFF_INCLUDES = [...CLIENT_INCLUDES, 'conflicts'] as const;

export type IncludeName = (typeof STAFF_INCLUDES)[number];

/** The query parameter `include` for Sessions and series that a Clinic or a Care Provider reads. */
export const staffIncludeQuery = includeQuery(STAFF_INCLUDES);
/** The query parameter `include` for Sessions that a Client reads. */
export const clientIncludeQuery = includeQuery(CLIENT_INCLUDES);
/** The query parameter `include` of lists of homework. */
export const homeworkListIncludeQuery = includeQuery(CLIENT_INCLUDES);

/** Query parameters of an operation with which a Clinic or a Care Provider reads one Session or series. */
export const staffReadQuery = z.object({ include: staffIncludeQuery });
export type StaffReadQuery = z.output<typeof staffReadQuery>;
/** Query parameters of an operation with which a Client reads one Session. */
export const clientReadQuery = z.object({ include: clientIncludeQuery });
export type ClientReadQuery = z.output<typeof clientReadQuery>;

/** Returns the names in `include` except those of data that the response always contains. */
export function omitIncludes(
  include: ReadonlySet<IncludeName> | undefined,
  ...always: readonly IncludeName[]
): ReadonlySet<IncludeName> {
  return new Set([...(include ?? [])].filter((name) => !always.includes(name)));
}
