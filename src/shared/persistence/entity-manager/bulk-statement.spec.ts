import { splitIntoBulkChunks } from './bulk-statement.js';

it.each([
  [0, []],
  [1, [1]],
  [1_000, [1_000]],
  [1_001, [1_000, 1]],
  [2_500, [1_000, 1_000, 500]],
])('splits %i rows into statements', (count, sizes) => {
  const rows = Array.from({ length: count }, (_, index) => ({ index }));
  const chunks = splitIntoBulkChunks(rows);
  expect(chunks.map((chunk) => chunk.length)).toEqual(sizes);
  expect(chunks.flat()).toEqual(rows);
});
