import { jest } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { bookImportSchema } from '../dto/import-model.js';
import { importRecords } from './import-records.js';

/** Returns how often the event loop runs other work before the import begins its transaction. */
async function countTurns(count: number, bytes: number): Promise<number> {
  const line = Buffer.from(JSON.stringify({ externalId: 'a', title: 'A' }).padEnd(bytes));
  const lines = Array.from({ length: count }, (_, index) => ({ number: index + 1, bytes: line }));
  let turns = 0;
  const begin = jest.fn(() => Promise.reject(new Error('parsed')));
  const em = { transactional: begin };
  const imported = importRecords(em as never, { lines, isAbandoned: () => false }, {
    schema: bookImportSchema,
  } as never);
  const outcome = imported.catch((error: unknown) => (error as Error).message);
  for (; begin.mock.calls.length === 0; turns += 1) await setImmediate();
  expect(await outcome).toBe('parsed');
  return turns;
}

it.each([
  ['100 short lines', 1_000, 40, 10],
  ['64 KiB of long lines', 40, 32_768, 20],
  ['each line of more than 64 KiB, also if it is refused', 10, 200_000, 10],
])('lets other work run after %s', async (_case, count, bytes, turns) => {
  const counted = await countTurns(count, bytes);
  expect([counted >= turns, counted <= turns + 1]).toEqual([true, true]);
});
