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
export const CLINIC_LOOKUP_SQL = `coalesce(current_clinic()::text, '')`;

/** The lookup in a distributed database, which also works while some of its servers do not answer. */
export const DISTRIBUTED_CLINIC_LOOKUP_SQL = `coalesce(find_distributed_clinic()::text, '')`;

/** Matches the beginning of MikroORM's statement that sets the session variables. */
export const SESSION_STATEMENT_PATTERN = /^select set_config\(/;

/** The row returned by the statement that sets the transaction's variables: their values, keyed by name. */
export type SessionRow = Readonly<Record<string, string>>;

type SessionStatement = { text: string; hasClinicLookup: boolean; requiredPosition: LogPosition | undefined };

/**
 * Builds the statement that sets session variables. The values are literals, because a statement that is sent together
 * with BEGIN cannot have parameters. `SET LOCAL` would be faster, but before PostgreSQL 18, `pg_stat_statements` stores
 * it with its values, which may identify a caller or be a secret.
 *
 * @param namesAndValues alternating names and values
 */
export function buildSessionStatement(namesAndValues: readonly unknown[]): SessionStatement {
  const texts = namesAndValues.map(String);
  const given = texts.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: texts[index + 1]! }] : []));
  const variables = given.filter(({ name }) => name !== REQUIRED_POSITION_KEY);
  const required = given.find(({ name }) => name === REQUIRED_POSITION_KEY)?.value;
  const hasClinicLookup = variables.some(isClinicLookupMarker);
  const settings = variables.map((variable) => {
    const value = isClinicLookupMarker(variable) ? CLINIC_LOOKUP_SQL : escapeLiteral(variable.value);
    const setting = `set_config(${escapeLiteral(variable.name)}, ${value}, true)`;
    return hasClinicLookup ? `${setting} as ${escapeIdentifier(variable.name)}` : setting;
  });
  const text = `select ${settings.join(', ')}`;
  return { text, hasClinicLookup, requiredPosition: required === undefined ? undefined : LogPosition.parse(required) };
}

/**
 * Whether a variable contains the marker, which the database replaces by the Clinic ID that it looks up. Only
 * `app.clinic_id` can contain it. Callers cannot set this variable, so no value from a caller causes a lookup.
 */
export function isClinicLookupMarker({ name, value }: { name: string; value: string }): boolean {
  return name === CLINIC_VARIABLE && value === CLINIC_LOOKUP_MARKER;
}
