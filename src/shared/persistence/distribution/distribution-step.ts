import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from './distributed-tables.js';

/** A step of `npm run distribute`. Each step is one transaction, and steps that are already done are skipped. */
export type DistributionStep = {
  description: string;
  /** A query whose column `done` contains whether the step is done. */
  done: string;
  statements: readonly string[];
};

const TABLES = [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES];
/** The names of the tables as a list of SQL literals. */
export const TABLE_NAME_LITERALS = TABLES.map((table) => `'${table}'`).join(', ');
/**
 * The database roles of transactions. Connections between the servers use the role of the transaction, so these roles
 * must be able to log in.
 */
export const TRANSACTION_ROLES = ['service', 'admin', 'reminders', 'maintenance', 'audit', 'system', 'monitoring'].map(
  (name) => `scheduling_${name}`,
);

/** Returns a query whose column `done` contains whether a condition is true. */
export const isDoneQuery = (condition: string) => `select ${condition} as done`;
