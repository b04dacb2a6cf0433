import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  countList,
  instantKeySchema,
  parseCursor,
  toCursor,
  toPage,
  type Page,
  type SortOrder,
} from '../../shared/validation/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import type { RecordQuery } from '../dto/record-query.js';
import { NameDirectory } from '../lookup/name-directory.js';
import type { NameSource } from '../lookup/name-source.js';

type ListedRecord = { id: number; createdAt: Temporal.Instant };
type Direction = SortOrder['direction'];

type InstantCondition = Partial<Record<'$gt' | '$gte' | '$lt' | '$lte', Temporal.Instant>>;
type RecordCondition = {
  active?: boolean;
  createdAt?: InstantCondition;
  id?: { $in: number[] } | { $gt: number } | { $lt: number };
  $or?: RecordCondition[];
};
type RecordFilter = { $and: RecordCondition[] };
type FindOptions = { orderBy?: { createdAt: Direction; id: Direction }; limit: number };

/** The list of one kind of record, restricted to the records that the caller may see. */
export type RecordList<Row> = {
  find: (where: RecordFilter, options: FindOptions) => Promise<Row[]>;
  countUpTo: (where: RecordFilter, maximum: number) => Promise<number>;
  /** Where names are searched. Absent if the list has no search by name. */
  names?: { source: NameSource<RecordDetails>; clinicIds: readonly (number | null)[] };
  /** IDs of the records that the caller may see. Absent: all of the Clinic. */
  visibleIds?: ReadonlySet<number>;
};

export type RecordDetails = { active: boolean };

/** The part of a name source that is the same for all records of the directory. */
export const RECORD_NAMES = {
  timeColumns: { createdAt: 'created_at' },
  detailColumns: ['active'],
  toDetails: (row: Readonly<Record<string, unknown>>): RecordDetails => ({ active: row['active'] as boolean }),
};

const createdAtKey = z.tuple([instantKeySchema, z.int()]);
const idKey = z.tuple([z.int().positive()]);

/** Finds one page of records: by the database, or by the names in memory if the request searches or sorts by name. */
@Injectable()
export class RecordLister {
  constructor(private readonly names: NameDirectory) {}

  list<Row extends ListedRecord>(list: RecordList<Row>, query: RecordQuery): Promise<Page<Row>> {
    const isByName = query.name !== undefined || query.sort.field === 'name';
    return list.names !== undefined && isByName
      ? this.listByName(list, list.names, query)
      : this.listByCreation(list, query);
  }

  private async listByCreation<Row extends ListedRecord>(
    { find, countUpTo, visibleIds }: RecordList<Row>,
    { active, count, cursor, limit, sort }: RecordQuery,
  ): Promise<Page<Row>> {
    const conditions: RecordCondition[] = [
      ...(active === undefined ? [] : [{ active }]),
      ...(visibleIds === undefined ? [] : [{ id: { $in: [...visibleIds] } }]),
    ];
    const { direction } = sort;
    const where = { $and: [...conditions, ...toCursorConditions(cursor, direction)] };
    const rows = await find(where, { orderBy: { createdAt: direction, id: direction }, limit: limit + 1 });
    return {
      ...toPage(
        rows,
        limit,
        (row) => [formatInstant(row.createdAt), row.id],
        (row) => row,
      ),
      ...(await countList(count, (maximum) => countUpTo({ $and: conditions }, maximum))),
    };
  }

  /** The cursor contains the ID of the last record and not its name, because names must not appear in URLs. */
  private async listByName<Row extends ListedRecord>(
    { find, visibleIds }: RecordList<Row>,
    { source, clinicIds }: NonNullable<RecordList<Row>['names']>,
    { active, count, cursor, limit, name: search, sort: order }: RecordQuery,
  ): Promise<Page<Row>> {
    const [afterId] = parseCursor(cursor, idKey) ?? [];
    const accepts = ({ id, details }: { id: number; details: RecordDetails }) =>
      (active === undefined || details.active === active) && (visibleIds?.has(id) ?? true);
    const page = { search, accepts, order, afterId, limit };
    const { ids, matched } = await this.names.find(source, { clinicIds, ...page });
    const shown = ids.slice(0, limit);
    const rows = shown.length === 0 ? [] : await find({ $and: [{ id: { $in: shown } }] }, { limit });
    const rowById = new Map(rows.map((row) => [row.id, row]));
    return {
      items: shown.flatMap((id) => rowById.get(id) ?? []),
      nextCursor: ids.length > limit ? toCursor([shown.at(-1)!]) : null,
      ...(await countList(count, (maximum) => Math.min(matched, maximum))),
    };
  }
}

/** Converts the items of a page. */
export function mapPage<Row, Item>(page: Page<Row>, toItem: (row: Row) => Item): Page<Item> {
  return { ...page, items: page.items.map(toItem) };
}

/** Selects the records after the cursor. The leading range lets the database start the index scan at the cursor. */
function toCursorConditions(cursor: string | undefined, direction: Direction): RecordCondition[] {
  const key = parseCursor(cursor, createdAtKey);
  if (key === undefined) return [];
  const [createdAt, id] = key;
  if (direction === 'asc')
    return [{ createdAt: { $gte: createdAt }, $or: [{ createdAt: { $gt: createdAt } }, { id: { $gt: id } }] }];
  return [{ createdAt: { $lte: createdAt }, $or: [{ createdAt: { $lt: createdAt } }, { id: { $lt: id } }] }];
}
