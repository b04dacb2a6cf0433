import type { DatabaseEnvironment } from '../../shared/config/env.js';
import { explainOwnerErrors } from './owner-errors.js';
import { describeCommandFailure } from './startup-message.js';

const URL = 'postgres://app@db/care';
const OWNER_URL = 'postgres://owner@db/care';
const shared = { kind: 'postgresql', url: URL, hosts: [], poolSize: 10, migrateOnStart: false } as const;

/** Returns the description of an error with a code that the driver has thrown, wrapped as the ORM does. */
async function describe(database: DatabaseEnvironment, code: string | undefined, reason = 'reason'): Promise<string> {
  const cause = Object.assign(new Error(`${reason}\nstatement`), { code });
  const failure = explainOwnerErrors(database, () => Promise.reject(new Error('driver', { cause })));
  return failure.catch(describeCommandFailure);
}

it.each([
  [OWNER_URL, '28P01', 'The database of MIGRATION_DATABASE_URL cannot be used (28P01): reason'],
  [OWNER_URL, 'ECONNREFUSED', 'The database of MIGRATION_DATABASE_URL cannot be used (ECONNREFUSED): reason'],
  [URL, 'ECONNREFUSED', 'The database of DATABASE_URL cannot be used (ECONNREFUSED): reason'],
  [
    URL,
    '42501',
    'The login of DATABASE_URL may not do this (42501): reason. ' +
      'Set MIGRATION_DATABASE_URL to the owner of the tables (docs/operations.md, "PostgreSQL").',
  ],
  [
    OWNER_URL,
    '42501',
    'The login of MIGRATION_DATABASE_URL may not do this (42501): reason. ' +
      'It must be the owner of the tables (docs/operations.md, "PostgreSQL").',
  ],
  [OWNER_URL, '53100', 'The command failed (53100): reason'],
])('%s, %s: %s', async (migrationUrl, code, expected) => {
  expect(await describe({ ...shared, migrationUrl }, code)).toBe(expected);
});

it.each([
  'permission denied to create role',
  'permission denied to grant role "scheduling_service"',
  'must have admin option on role "scheduling_service"',
])('says what an owner lacks that may not create or grant the roles: %s', async (reason) => {
  expect(await describe({ ...shared, migrationUrl: OWNER_URL }, '42501', reason)).toBe(
    `The login of MIGRATION_DATABASE_URL may not do this (42501): ${reason}. ` +
      'It needs CREATEROLE and the admin option on the roles scheduling_* (docs/operations.md, "PostgreSQL").',
  );
});

it('does not explain errors of the embedded database', async () => {
  expect(await describe({ kind: 'embedded', dataDir: '.data' }, '42501')).toBe('The command failed (42501): reason');
});
