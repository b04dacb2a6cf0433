import { escapeIdentifier, escapeLiteral } from 'pg';
import { LogPosition } from '../replica/log-position.js';

/** Session variables of a transaction. They are set in the order of the object's keys. */
export type SessionVariables = Record<string, string>;

/**
 * The session variable that contains the Clinic ID of the transaction. Row-level security compares it with the Clinic
 * ID of each row.
 */
export const CLINIC_VARIABLE = 'app.clinic_id';

/**
 * Key of the consistency token that a replica must have reached before the transaction. It is not sent to the database
 * as a variable.
 */
export const REQUIRED_POSITION_KEY = 'app.required_position';

/**
 * Placeholder value of `app.clinic_id`: the database looks up the Clinic by the variables that were set before. It has
 * this meaning for no other variable.
 */
export const CLINIC_LOOKUP_MARKER = '?';

/**
 * SQL that looks up the Clinic. The function runs as the table owner, because row-level security shows no rows before
 * the Clinic is known.
 */
const CLINIC_LOOKUP_SQL = `coalesce(current_clinic()::text, '')`;

/** The lookup in a distributed database, which also works while some of its servers do not answer. */
export const DISTRIBUTED_CLINIC_LOOKUP_SQL = `coalesce(find_distributed_clinic()::text, '')`;

/** Matches the beginning of the statement that sets the session variables. */
export const SESSION_STATEMENT_PATTERN = /^select set_config\(/;

/** The row returned by the statement that sets the transaction's variables: their values, keyed by name. */
export type SessionRow = Readonly<Record<string, string>>;

type SessionStatement = { text: string; hasClinicLookup: boolean; requiredPosition: LogPosition | undefined };

/**
 * Builds the statement that sets session variables. The values are literals, because a statement that is sent together
 * with BEGIN cannot have parameters. `SET LOCAL` would be faster, but before PostgreSQL 18, `pg_stat_statements` stores
 * it with its values, which may identify a caller or be a secret.
 */
export function buildSessionStatement(given: SessionVariables): SessionStatement {
  const { [REQUIRED_POSITION_KEY]: required, ...variables } = given;
  const hasClinicLookup = needsClinicLookup(variables);
  const settings = Object.entries(variables).map(([name, value]) => {
    const sql = hasClinicLookup && name === CLINIC_VARIABLE ? CLINIC_LOOKUP_SQL : escapeLiteral(value);
    const setting = `set_config(${escapeLiteral(name)}, ${sql}, true)`;
    return hasClinicLookup ? `${setting} as ${escapeIdentifier(name)}` : setting;
  });
  const text = `select ${settings.join(', ')}`;
  return { text, hasClinicLookup, requiredPosition: required === undefined ? undefined : LogPosition.parse(required) };
}

/**
 * Whether the database has to look up the Clinic. Callers cannot set `app.clinic_id`, so no value from a caller causes
 * a lookup.
 */
export function needsClinicLookup(variables: SessionVariables): boolean {
  return variables[CLINIC_VARIABLE] === CLINIC_LOOKUP_MARKER;
}
