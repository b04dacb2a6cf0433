import { IdSet } from './id-set.js';

it('has the IDs that were added, at the edges of pages and in the highest range', () => {
  const set = new IdSet();
  const added = [0, 1, 7, 8, 32_767, 32_768, 65_537, 2 ** 40, Number.MAX_SAFE_INTEGER];
  for (const id of added) set.add(id);
  for (const id of added) expect([id, set.has(id)]).toEqual([id, true]);
  for (const id of [2, 6, 9, 32_766, 32_769, 65_536, 2 ** 40 - 1, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER - 1])
    expect([id, set.has(id)]).toEqual([id, false]);
});
