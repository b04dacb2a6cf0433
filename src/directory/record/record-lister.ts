import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  countItemsIfRequested,
  cursorInstantSchema,
  parseCursor,
  toPage,
  type Page,
  type SortOrder,
} from '../../shared/validation/index.js';
import { toAfterKeyFilter, formatInstant } from '../../shared/persistence/index.js';
import type { RecordQuery } from '../dto/record-query.js';
import { NameSearch } from '../lookup/name-search.js';
import type { NameSearchSource } from '../lookup/name-search-source.js';

type ListedRecord = { id: number; createdAt: Temporal.Instant };
type Direction = SortOrder['direction'];

type RecordCondition = { active?: boolean; id?: { $in: number[] } } | ReturnType<typeof toAfterKeyFilter<'createdAt'>>;
type RecordFilter = { $and: RecordCondition[] };
type FindOptions = { orderBy?: { createdAt: Direction; id: Direction }; limit: number };

/** Defines a list of one kind of record, restricted to the records that the caller may see. */
export type RecordListDefinition<Row> = {
  find: (where: RecordFilter, options: FindOptions) => Promise<Row[]>;
  countUpTo: (where: RecordFilter, maximum: number) => Promise<number>;
  /** How to search by name; absent if the list cannot be searched by name. */
  names?: { source: NameSearchSource<RecordSearchDetails>; clinicIds: readonly (number | null)[] };
  /** IDs of the records that the caller may see. By default, these are all records of the Clinic. */
  visibleIds?: ReadonlySet<number>;
};

type RecordSearchDetails = { active: boolean };

/** The fields of a `NameSearchSource` that are the same for all directory records. */
export const RECORD_SEARCH_FIELDS = {
  timeColumns: { createdAt: 'created_at' },
  detailColumns: ['active'],
  toDetails: (row: Readonly<Record<string, unknown>>): RecordSearchDetails => ({ active: row['active'] as boolean }),
};

const createdAtKey = z.tuple([cursorInstantSchema, z.int()]);

/**
 * Finds one page of records. If the request searches or sorts by name, the page comes from the names in memory;
 * otherwise, it comes from the database.
 */
@Injectable()
export class RecordLister {
  constructor(private readonly names: NameSearch) {}

  list<Row extends ListedRecord>(list: RecordListDefinition<Row>, query: RecordQuery): Promise<Page<Row>> {
    const isByName = query.name !== undefined || query.sort.field === 'name';
    return list.names !== undefined && isByName
      ? this.listByName(list, list.names, query)
      : this.listByCreation(list, query);
  }

  private async listByCreation<Row extends ListedRecord>(
    { find, countUpTo, visibleIds }: RecordListDefinition<Row>,
    { active, count, cursor, limit, sort }: RecordQuery,
  ): Promise<Page<Row>> {
    const conditions: RecordCondition[] = [
      ...(active === undefined ? [] : [{ active }]),
      ...(visibleIds === undefined ? [] : [{ id: { $in: [...visibleIds] } }]),
    ];
    const { direction } = sort;
    const key = parseCursor(cursor, createdAtKey, sort);
    const rest = key === undefined ? [] : [toAfterKeyFilter('createdAt', direction, ...key)];
    const where = { $and: [...conditions, ...rest] };
    const rows = await find(where, { orderBy: { createdAt: direction, id: direction }, limit: limit + 1 });
    return {
      ...toPage(
        rows,
        limit,
        (row) => [formatInstant(row.createdAt), row.id],
        (row) => row,
        sort,
      ),
      ...(await countItemsIfRequested(count, (maximum) => countUpTo({ $and: conditions }, maximum))),
    };
  }

  private listByName<Row extends ListedRecord>(
    { find, visibleIds }: RecordListDefinition<Row>,
    { source, clinicIds }: NonNullable<RecordListDefinition<Row>['names']>,
    { active, name: search, sort: order, ...page }: RecordQuery,
  ): Promise<Page<Row>> {
    const accepts = (details: RecordSearchDetails) => active === undefined || details.active === active;
    return this.names.findPage(source, { ...page, clinicIds, search, accepts, visibleIds, order }, (ids) =>
      find({ $and: [{ id: { $in: ids } }] }, { limit: ids.length }),
    );
  }
}

/** Converts each item of a page, and keeps the cursor and the count. */
export function mapPage<Row, Item>(page: Page<Row>, toItem: (row: Row) => Item): Page<Item> {
  return { ...page, items: page.items.map(toItem) };
}
