/* SQLSTATEs of PostgreSQL (appendix A of its documentation) that tell of the database, and not of the request. */

/**
 * The connection is of no use any more, as it leads to a server or a database that cannot serve: read-only, a table, a
 * schema or the database is gone, an internal error, a prepared statement that the server does not have or whose tables
 * have changed since.
 */
const UNUSABLE_CONNECTION = /^(25006|42P01|3D000|3F000|26000|0A000|XX...)$/;

/**
 * Connection failures, authentication, resources, object state, operator intervention (also of a statement that took too
 * long), the system, configuration, serialisation, deadlock, a lock that was not to be had, an idle transaction.
 */
const UNAVAILABLE = /^(08...|28...|53...|55...|57...|58...|F0...|40001|40P01|25P03)$/;

/** A page of a table, or an index, cannot be read. */
const DAMAGED = /^(XX001|XX002)$/;

export const isUnusableConnection = (code: string): boolean => UNUSABLE_CONNECTION.test(code);
export const isDatabaseFault = (code: string): boolean => UNUSABLE_CONNECTION.test(code) || UNAVAILABLE.test(code);
export const isDamage = (code: string): boolean => DAMAGED.test(code);
