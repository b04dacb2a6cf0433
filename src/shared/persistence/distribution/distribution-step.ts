import { DISTRIBUTED_TABLES, REFERENCE_TABLES } from './distributed-tables.js';

/** A step of `npm run distribute`. Each is one transaction, and a step that is done is left out. */
export type DistributionStep = {
  description: string;
  /** A statement that returns whether the step is done, as `done`. */
  done: string;
  statements: readonly string[];
};

const TABLES = [...REFERENCE_TABLES, ...DISTRIBUTED_TABLES];
/** The tables as SQL literals. */
export const TABLE_LIST = TABLES.map((table) => `'${table}'`).join(', ');
/** The servers are connected to with the role of the transaction, so the roles log in there. */
export const ROLES = ['service', 'admin', 'reminders', 'maintenance', 'audit', 'system', 'monitoring'].map(
  (name) => `scheduling_${name}`,
);

/** The statement that returns whether a condition holds, as `done`. */
export const done = (condition: string) => `select ${condition} as done`;
