/* PostgreSQL SQLSTATEs (appendix A of its documentation) for errors caused by the database rather than the request. */

/**
 * The connection can no longer be used: the server is read-only; a table, a schema or the database does not exist; a
 * prepared statement does not exist, or its tables have changed; or an internal error occurred.
 */
const UNUSABLE_CONNECTION = /^(25006|42P01|3D000|3F000|26000|0A000|XX...)$/;

/**
 * Connection, authentication, resource, object state, system and configuration errors; operator intervention, which
 * includes statement timeouts; serialisation failures, deadlocks and idle transaction timeouts.
 */
const UNAVAILABLE = /^(08...|28...|53...|55...|57...|58...|F0...|40001|40P01|25P03)$/;

/** A table page or an index cannot be read. */
const DAMAGED = /^(XX001|XX002)$/;

export const isUnusableConnection = (code: string): boolean => UNUSABLE_CONNECTION.test(code);
export const isDatabaseFault = (code: string): boolean => UNUSABLE_CONNECTION.test(code) || UNAVAILABLE.test(code);
export const isPageDamage = (code: string): boolean => DAMAGED.test(code);
