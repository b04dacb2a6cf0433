import type { Actor } from '../../shared/persistence/index.js';
import type { NewAuditEntry } from './audit-entry.writer.js';
import { RepeatedRequestCounter } from './repeated-request-counter.js';

const MINUTE_MS = 60_000;
const NOBODY: Actor = { role: 'NOBODY' };
const linkOf = (secretHash: string): Actor => ({ role: 'CALENDAR_LINK', secretHash });
const entryOf = (actor: Actor, address = '203.0.113.1'): NewAuditEntry => ({
  ...{ actor, address, access: 'READ', operation: 'GET /calendar/{secret}.ics', records: [], requestId: 'r' },
  ...{ outcome: '404', count: 1 },
});

let counter: RepeatedRequestCounter;
beforeEach(() => {
  counter = new RepeatedRequestCounter();
});

const summarise = (counted: ReturnType<RepeatedRequestCounter['takeAllCounts']>) =>
  counted.map(({ key, entry: { actor, address, count } }) => ({ key, actor, address, count }));

it('counts repetitions for the actor of the first', () => {
  const repeated = [1, 2, 3].map(() => counter.count('a', entryOf(linkOf('own')), 0));
  expect(repeated).toEqual([false, true, true]);
  expect(counter.takeCompletedCounts(MINUTE_MS - 1)).toEqual([]);
  const expected = [{ key: 'a', actor: linkOf('own'), address: '203.0.113.1', count: 2 }];
  expect(summarise(counter.takeCompletedCounts(MINUTE_MS))).toEqual(expected);
});

it('attributes requests of different links to no caller, because no single Clinic is concerned', () => {
  for (const hash of ['first', 'own', 'other']) counter.count('address', entryOf(linkOf(hash)), 0);
  expect(summarise(counter.takeAllCounts(0))).toMatchObject([{ actor: NOBODY, count: 2 }]);
});

it('attributes a flood of different links to no caller, however it begins', () => {
  for (let index = 0; index < 1_000; index += 1) counter.count(`key ${index}`, entryOf(NOBODY), 0);
  for (const hash of ['own', 'other', 'own']) counter.count(hash, entryOf(linkOf(hash)), 0);
  expect(summarise(counter.takeAllCounts(0))).toMatchObject([{ actor: NOBODY, address: 'others', count: 3 }]);
});

it('keeps the links behind one address apart when their counts could not be written', () => {
  for (const hash of ['own', 'other', 'own', 'other', 'own']) counter.count(hash, entryOf(linkOf(hash)), 0);
  counter.restoreCounts(counter.takeAllCounts(0), 0);
  counter.count('other', entryOf(linkOf('other')), 0);
  expect(summarise(counter.takeAllCounts(0))).toMatchObject([
    { actor: linkOf('own'), count: 2 },
    { actor: linkOf('other'), count: 2 },
  ]);
});
