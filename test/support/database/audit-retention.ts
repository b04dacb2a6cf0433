import { sql } from 'kysely';
import type { TestApp } from '../app/test-app.js';

/** Lets the database retire entries of any age: the clock of a test can be far ahead of the clock of the database. */
export async function allowEarlyRetirement(app: TestApp): Promise<void> {
  await app.queryRows(sql`
    create or replace function audit_minimum_retention() returns interval language sql immutable
      as $$ select interval '-100 years' $$`);
}
