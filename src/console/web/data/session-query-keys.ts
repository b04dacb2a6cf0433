import type { QueryKeyParts } from './use-api-query.js';

/** Keys of all queries whose data may change with a Session. Each change of a Session refreshes them. */
export const SESSION_QUERY_KEYS: readonly QueryKeyParts[] = [
  ['apply-plan', 'dry-run'],
  ['client-record'],
  ['directory'],
  ['outbox'],
  ['plan-editor', 'series'],
  ['week'],
];
