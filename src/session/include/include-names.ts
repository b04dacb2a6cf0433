import { z } from 'zod';
import { includeQuery } from '../../shared/validation/index.js';

/* The values of `include`, with what they add to an item. */

const PEOPLE = {
  client: 'member `client` with the name.',
  careProvider: 'member `careProvider` with the name.',
} as const;

const CLIENT_INCLUDES = {
  ...PEOPLE,
  books: 'member `books` with the titles of the homework.',
  progress: 'always there.',
  reminders: 'member `remindersAhead`, the next 20 reminders.',
} as const;

const STAFF_INCLUDES = {
  ...CLIENT_INCLUDES,
  conflicts: 'member `conflicts`, the first 10 overlaps.',
} as const;

const HOMEWORK_INCLUDES = {
  ...PEOPLE,
  books: 'member `books` with the title.',
  progress: 'member `progress`, of all homework of the Session.',
  reminders: 'always there.',
} as const;

export type IncludeName = keyof typeof STAFF_INCLUDES;

export const includeOfStaff = includeQuery(STAFF_INCLUDES);
export const includeOfClient = includeQuery(CLIENT_INCLUDES);
export const includeOfHomework = includeQuery(HOMEWORK_INCLUDES);

/** Query parameters of an operation that reads one Session or series. */
export const staffReadQuery = z.object({ include: includeOfStaff });
export type StaffReadQuery = z.output<typeof staffReadQuery>;
export const clientReadQuery = z.object({ include: includeOfClient });
export type ClientReadQuery = z.output<typeof clientReadQuery>;

/** The given names without those of members that the answer always contains. */
export function withoutIncludes(
  include: ReadonlySet<IncludeName> | undefined,
  ...always: readonly IncludeName[]
): ReadonlySet<IncludeName> {
  return new Set([...(include ?? [])].filter((name) => !always.includes(name)));
}
