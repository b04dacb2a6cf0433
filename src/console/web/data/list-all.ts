/** The largest page of the service. */
const PAGE_SIZE = 200;
const MAX_PAGES = 25;
/** The number of records after which a list ends. */
export const MAX_LISTED = PAGE_SIZE * MAX_PAGES;

type PagedList<T> = { pages: () => AsyncIterable<{ items: readonly T[] }> };

/** Returns the records of all pages. @param list calls an operation that lists records, with the largest page size */
export async function listAll<T>(list: (page: { limit: number }) => PagedList<T>): Promise<readonly T[]> {
  const items: T[] = [];
  let pages = 0;
  for await (const page of list({ limit: PAGE_SIZE }).pages()) {
    items.push(...page.items);
    pages += 1;
    if (pages === MAX_PAGES) break;
  }
  return items;
}
