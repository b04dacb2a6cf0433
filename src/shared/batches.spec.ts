import { splitIntoBatches } from './batches.js';

it.each([
  [0, []],
  [1, [1]],
  [1_000, [1_000]],
  [1_001, [1_000, 1]],
  [2_500, [1_000, 1_000, 500]],
])('splits %i items into batches', (count, sizes) => {
  const items = Array.from({ length: count }, (_, index) => ({ index }));
  const batches = splitIntoBatches(items, 1_000);
  expect(batches.map((batch) => batch.length)).toEqual(sizes);
  expect(batches.flat()).toEqual(items);
});
