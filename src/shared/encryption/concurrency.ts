import pLimit from 'p-limit';

/** Maximum number of files that are read or written at the same time. */
const CONCURRENCY = 32;

/**
 * Runs asynchronous work for each item, for at most `CONCURRENCY` items at the same time.
 *
 * @returns the results, in the order of the items
 */
export function mapConcurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  return pLimit(CONCURRENCY).map(items, work);
}

/** Yields items in batches of `size` as they arrive. The last batch can be smaller. */
export async function* streamBatches<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  size: number,
): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
