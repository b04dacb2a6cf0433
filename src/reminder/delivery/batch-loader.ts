import DataLoader from 'dataloader';

/** Creates a loader that runs one batch at a time. Keys that arrive during a batch form the next batch. */
export function createBatchLoader<Key, Value>(
  read: (keys: readonly Key[]) => Promise<Value[]>,
): DataLoader<Key, Value> {
  let reading: Promise<unknown> = Promise.resolve();
  const readNext = (keys: readonly Key[]) => {
    const batch = read(keys);
    reading = batch.catch(() => undefined);
    return batch;
  };
  return new DataLoader(readNext, {
    cache: false,
    batchScheduleFn: (dispatch) => void reading.then(() => setImmediate(dispatch)),
  });
}
