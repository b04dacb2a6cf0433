import { z } from 'zod';
import { countedPageShape, type CountMode, type Page } from './page.js';
import { booleanQuery, type SortOrder } from './query-types.js';
import { longId } from './wire-types.js';

/* Query parameters and page schemas of lists that can be synchronised (docs/api-guide.md, "Synchronise"). */

/** Query parameters of a list that can be synchronised. */
export const syncQuery = {
  sync: booleanQuery.optional().meta({
    description:
      'true: starts a synchronisation. Records are in the order of their last change, and the last page has a `syncToken`.',
    example: 'true',
  }),
  syncToken: z.string().max(200, 'must be the syncToken of a list').optional().meta({
    description:
      'Returns the changes since the token was issued, for the same caller and with the same filters. `deleted` contains records that are no longer in the list.',
  }),
};
export type SyncQuery = {
  sync?: boolean | undefined;
  syncToken?: string | undefined;
  cursor?: string | undefined;
  count?: CountMode | undefined;
  sort?: SortOrder | undefined;
};

const tombstoneSchema = <Id extends z.ZodType>(recordId: Id, id: string) =>
  z
    .object({
      id: recordId,
      version: z.int().meta({ description: 'The version of the record at that time.', example: 2 }),
    })
    .meta({ id, description: 'A record that the list does not contain.' });
const numberTombstoneSchema = tombstoneSchema(longId('Id of the record.'), 'Tombstone');
const uuidTombstoneSchema = tombstoneSchema(
  z.uuid().meta({ description: 'Id of the record.', example: '019abcde-0000-7000-8000-000000000000' }),
  'UuidTombstone',
);
const DELETED =
  'Only while synchronising: changed records that the list does not contain (any more): the caller may not see them, they do not match the filters, or they were removed.';
const tombstonesSchema = z.array(numberTombstoneSchema).meta({ id: 'Tombstones', description: DELETED });
const uuidTombstonesSchema = z.array(uuidTombstoneSchema).meta({ id: 'UuidTombstones', description: DELETED });
/** The ID of a record: a number or a UUID. */
export type RecordId = number | string;
export type Tombstone<Id extends RecordId = number> = { id: Id; version: number };

export type SyncPage<T, Id extends RecordId = number> = Page<T> & {
  deleted?: Tombstone<Id>[];
  syncToken?: string | null;
};

/** Creates the response schema for one page of a list that can be synchronised and has numeric IDs. */
export const syncPageSchema = <T extends z.ZodType>(item: T, id: string) =>
  z.object(syncPageShape(item, tombstonesSchema)).meta({ id, description: 'One page.' });

/** Creates the response schema for one page of a list that can be synchronised and has UUIDs as IDs. */
export const uuidSyncPageSchema = <T extends z.ZodType>(item: T, id: string) =>
  z.object(syncPageShape(item, uuidTombstonesSchema)).meta({ id, description: 'One page.' });

const syncPageShape = <T extends z.ZodType, All extends z.ZodType>(item: T, tombstones: All) => ({
  ...countedPageShape(item),
  deleted: tombstones.optional(),
  syncToken: z.string().nullable().optional().meta({
    description: 'Only while synchronising: token for the next synchronisation; null except on the last page.',
    example: null,
  }),
});
