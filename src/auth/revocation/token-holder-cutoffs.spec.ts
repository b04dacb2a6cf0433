import { jest } from '@jest/globals';
import { TokenHolderCutoffs } from './token-holder-cutoffs.js';
import { toHolderKeys, type TokenHolder } from './token-holder.js';

/* Tests the list in memory with a fake table. test/token-holder tests it with the real table. */

type Row = {
  horizon: string;
  subject: string | null;
  role: TokenHolder['role'];
  record_id: string | null;
  issued_before: number | null;
};

const execute = jest.fn<(statement: string, [since]: [string]) => Promise<Row[]>>();
let cutoffs: TokenHolderCutoffs;
beforeEach(() => {
  execute.mockReset();
  const em = { fork: () => ({ getConnection: () => ({ execute }) }) };
  cutoffs = new TokenHolderCutoffs(em as unknown as ConstructorParameters<typeof TokenHolderCutoffs>[0]);
});

const CLIENT: TokenHolder = { subject: null, role: 'CLIENT', recordId: 9 };
const keys = toHolderKeys({ role: 'CLIENT', subject: 'user-1', clientId: 9 });
const at = (milliseconds: number) => Temporal.Instant.fromEpochMilliseconds(milliseconds);
const row = (horizon: string, cutoff: number | null, recordId = 9): Row => ({
  ...{ horizon, subject: null },
  ...(cutoff === null ? { role: null, record_id: null } : { role: 'CLIENT', record_id: `${recordId}` }),
  issued_before: cutoff,
});

it.each<[string, TokenHolder, boolean]>([
  ['the subject', { subject: 'user-1', role: null, recordId: null }, true],
  ['the record', CLIENT, true],
  ['the subject with the record', { ...CLIENT, subject: 'user-1' }, true],
  ['another subject', { subject: 'user-2', role: null, recordId: null }, false],
  ['another record', { ...CLIENT, recordId: 8 }, false],
  ['a record of another kind', { ...CLIENT, role: 'CARE_PROVIDER' }, false],
  ['another subject of the record', { ...CLIENT, subject: 'user-2' }, false],
  ['a subject that looks like the record', { subject: 'CLIENT 9', role: null, recordId: null }, false],
  ['the subject with another record', { subject: 'user-1', role: 'CLIENT', recordId: 8 }, false],
])('a revocation of %s', (_, holder, isCovered) => {
  cutoffs.add(holder, at(1_000));
  expect(cutoffs.isRevoked(keys, 999)).toBe(isCovered);
});

it('covers tokens from before the instant, and those that do not say when they were issued', () => {
  cutoffs.add(CLIENT, at(1_000));
  expect([999, 1_000, 1_001, undefined].map((issuedAt) => cutoffs.isRevoked(keys, issuedAt))).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

it('has one entry for a holder, with the last instant', () => {
  for (const instant of [1_000, 3_000, 2_000]) cutoffs.add(CLIENT, at(instant));
  expect([cutoffs.size, cutoffs.isRevoked(keys, 2_999)]).toEqual([1, true]);
});

it('reads only what has changed since the last read', async () => {
  execute.mockResolvedValueOnce([row('70', 1_000)]).mockResolvedValueOnce([row('80', null)]);
  await cutoffs.readChanges();
  await cutoffs.readChanges();
  expect(execute.mock.calls.map(([, [since]]) => since)).toEqual(['0', '70']);
  expect([cutoffs.size, cutoffs.isRevoked(keys, 999)]).toEqual([1, true]);
});

it('reads everything if the database is another one, and forgets what that one does not have', async () => {
  execute.mockResolvedValueOnce([row('1000000', 1_000)]);
  await cutoffs.readChanges();
  execute.mockResolvedValueOnce([row('900000', null)]).mockResolvedValueOnce([row('900000', 5_000, 8)]);
  await cutoffs.readChanges();
  expect(execute.mock.calls.map(([, [since]]) => since)).toEqual(['0', '1000000', '0']);
  expect([cutoffs.size, cutoffs.isRevoked(keys, 999)]).toEqual([1, false]);
});

it('forgets expired entries when it reads everything', async () => {
  cutoffs.add(CLIENT, at(1_000));
  execute.mockResolvedValueOnce([row('80', null)]);
  await cutoffs.readAll();
  expect([cutoffs.size, cutoffs.isRevoked(keys, 999)]).toEqual([0, false]);
});

it('keeps what is added, and what is read, while it reads everything', async () => {
  let answer!: (rows: Row[]) => void;
  execute.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  const reading = cutoffs.readAll();
  cutoffs.add(CLIENT, at(1_000));
  execute.mockResolvedValueOnce([row('90', 2_000, 8)]);
  await cutoffs.readChanges();
  answer([row('80', null)]);
  await reading;
  expect([cutoffs.size, cutoffs.isRevoked(keys, 999)]).toEqual([2, true]);
});
