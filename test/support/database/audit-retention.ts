import { sql } from 'kysely';
import type { AuditRetention } from '../../../src/audit/index.js';
import type { TestApp } from '../app/test-app.js';

/**
 * Allows the database to retire audit entries of any age, because the test clock can be far ahead of the database
 * clock.
 */
export async function allowEarlyRetirement(app: TestApp): Promise<void> {
  await app.queryRows(sql`
    create or replace function audit_minimum_retention() returns interval language sql immutable
      as $$ select interval '-100 years' $$`);
}

/** Returns limits that stay the same. @param limits keyed by chain; undefined if all entries are kept */
export function createAuditLimits(
  limits: ReadonlyMap<number, Temporal.Instant | undefined>,
): Parameters<AuditRetention['retire']>[0] {
  return { findAll: () => Promise.resolve(limits), find: (chain) => Promise.resolve(limits.get(chain)) };
}
