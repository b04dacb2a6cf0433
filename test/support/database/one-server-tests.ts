import { it } from '@jest/globals';

/** Whether the tests run on a database that is distributed over several servers (`npm run test:citus`). */
export const isDistributed = process.env['TEST_CITUS_NODES'] !== undefined;

/** Tests that are not executed on a distributed database, with the reasons. */
const ONE_SERVER_TESTS: Readonly<Record<string, string>> = {
  'of an instance of the previous release, which sets the caller, sees the rows of its Clinic':
    'Instances of the previous release cannot use a distributed database (ADR 18).',
  'waits for an instance that knows notices, while others still run':
    'Instances of the previous release cannot use a distributed database (ADR 18).',
  'has every column of the database that is no exception':
    'Writes each column, and also that by which rows are distributed. The cluster has the same columns.',
  'finds a column and a table that are new':
    'Writes each column, and also that by which rows are distributed. The cluster has the same columns.',
};

/** Declares a test that is listed above. */
export function itOnOneServer(name: string, work: () => Promise<void>, timeout?: number): void {
  if (ONE_SERVER_TESTS[name] === undefined) throw new Error(`ONE_SERVER_TESTS has no reason for: ${name}`);
  (isDistributed ? it.skip : it)(name, work, timeout);
}
