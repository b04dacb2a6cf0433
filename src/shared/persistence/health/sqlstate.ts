/* SQLSTATEs of PostgreSQL (appendix A of its documentation) that are caused by the database and not by the request. */

/**
 * The connection cannot be used any more: the server is read-only, a table, a schema or the database does not exist, an
 * internal error, or a prepared statement that does not exist or whose tables have changed.
 */
const UNUSABLE_CONNECTION = /^(25006|42P01|3D000|3F000|26000|0A000|XX...)$/;

/**
 * Connection exceptions, authentication, insufficient resources, object state, operator intervention (which includes
 * statement timeouts), system and configuration errors, serialisation failure, deadlock, timeout of an idle transaction.
 */
const UNAVAILABLE = /^(08...|28...|53...|55...|57...|58...|F0...|40001|40P01|25P03)$/;

/** A page of a table, or an index, cannot be read. */
const DAMAGED = /^(XX001|XX002)$/;

export const isUnusableConnection = (code: string): boolean => UNUSABLE_CONNECTION.test(code);
export const isDatabaseFault = (code: string): boolean => UNUSABLE_CONNECTION.test(code) || UNAVAILABLE.test(code);
export const isDamage = (code: string): boolean => DAMAGED.test(code);
