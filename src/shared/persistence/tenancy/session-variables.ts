import { escapeIdentifier, escapeLiteral } from 'pg';
import { LogPosition } from '../replica/log-position.js';

/** Session variables of a transaction, in the order in which they are set. */
export type SessionVariables = Record<string, string>;

/** The Clinic of the transaction. The policies of row-level security compare rows with it. */
export const CLINIC_VARIABLE = 'app.clinic_id';

/** Not a variable of the database: the token of the position that a replica must have reached before the transaction. */
export const REQUIRED_POSITION = 'app.required_position';

/** Value of `app.clinic_id` that stands for a look-up by the variables before it. No other variable has this meaning. */
export const LOOKED_UP = '?';

/** The look-up. It runs as the owner of the tables, because the policies show no rows before the Clinic is known. */
export const CLINIC_LOOK_UP = `coalesce(current_clinic()::text, '')`;

/** How MikroORM begins the statement that sets the session variables. */
export const SESSION_STATEMENT = /^select set_config\(/;

/** The row of a session statement with a look-up: the variables by their names. */
export type SessionRow = Readonly<Record<string, string>>;

type SessionStatement = { text: string; hasLookUp: boolean; requiredPosition: LogPosition | undefined };

/**
 * Builds the statement that sets session variables, from names and values in turns. It has literals, because a statement
 * that is sent together with BEGIN cannot have parameters. `SET LOCAL` would be faster, but before PostgreSQL 18
 * `pg_stat_statements` stores it with its value, which may identify a caller or be a secret.
 */
export function buildSessionStatement(namesAndValues: readonly unknown[]): SessionStatement {
  const texts = namesAndValues.map(String);
  const given = texts.flatMap((name, index) => (index % 2 === 0 ? [{ name, value: texts[index + 1]! }] : []));
  const variables = given.filter(({ name }) => name !== REQUIRED_POSITION);
  const required = given.find(({ name }) => name === REQUIRED_POSITION)?.value;
  const hasLookUp = variables.some(isLookedUp);
  const settings = variables.map((variable) => {
    const value = isLookedUp(variable) ? CLINIC_LOOK_UP : escapeLiteral(variable.value);
    const setting = `set_config(${escapeLiteral(variable.name)}, ${value}, true)`;
    return hasLookUp ? `${setting} as ${escapeIdentifier(variable.name)}` : setting;
  });
  const text = `select ${settings.join(', ')}`;
  return { text, hasLookUp, requiredPosition: required === undefined ? undefined : LogPosition.parse(required) };
}

/** Only `app.clinic_id`, which no caller can set, so a value of a caller cannot become a look-up. */
export function isLookedUp({ name, value }: { name: string; value: string }): boolean {
  return name === CLINIC_VARIABLE && value === LOOKED_UP;
}
