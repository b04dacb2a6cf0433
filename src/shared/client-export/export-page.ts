import { sql, type RawBuilder } from 'kysely';
import type { TenantEntityManager } from '../persistence/index.js';

/** The Client whose data is exported. */
export type ExportedClient = { clinicId: number; clientId: number };

/**
 * A page of items from one section of an export. `next` is the key for reading the next page; it is absent on the last
 * page.
 */
export type ExportPage<Item, Key> = { items: Item[]; next?: Key | undefined };

/** Number of rows that an export reads in one transaction. */
export const EXPORT_PAGE_SIZE = 100;

/**
 * Finds a page of IDs of a Client's records, in ascending order. `offset 0` makes PostgreSQL find the Client's rows
 * first. Without it, PostgreSQL might read the rows of all Clients in ID order until the page is full.
 *
 * @param own a query that selects the IDs of the Client's records in a column `id`
 * @param parse converts an ID, which the database returns as text
 */
export async function findClientRecordIds<Id extends number | string>(
  em: TenantEntityManager,
  own: RawBuilder<unknown>,
  after: Id | undefined,
  parse: (id: string) => Id,
): Promise<{ ids: Id[]; next: Id | undefined }> {
  const rest = after === undefined ? sql`` : sql`where own.id > ${after}`;
  const { rows } = await sql<{ id: string }>`
    select own.id from (${own} offset 0) as own ${rest} order by own.id limit ${EXPORT_PAGE_SIZE}`.execute(
    em.getKysely(),
  );
  const ids = rows.map(({ id }) => parse(id));
  return { ids, next: ids.length < EXPORT_PAGE_SIZE ? undefined : ids.at(-1) };
}
