import type { EntityProperty, Type } from '@mikro-orm/core';
import { formatInstant, InstantType, isStorableInstant } from './instant.type.js';

/** How a column's values are sent in an array parameter: in the form that PostgreSQL reads fastest. */
export type ArrayForm = {
  /** The type of the array's elements. */
  type: string;
  toElement: (value: unknown) => unknown;
  /** Returns the SQL expression that converts an element to the column's value. */
  toExpression: (element: string) => string;
};

/** Returns the type of a parameter for a column. `bigserial` can only declare a column. */
export function toParameterType({ autoincrement, columnTypes }: Pick<EntityProperty, 'autoincrement' | 'columnTypes'>) {
  return autoincrement ? 'bigint' : columnTypes[0]!;
}

/** @param toDatabaseValue converts a value of the property to a value of the column's own type */
export function toArrayForm(
  columnType: string,
  customType: Type<unknown> | undefined,
  toDatabaseValue: (value: unknown) => unknown,
): ArrayForm {
  if (customType instanceof InstantType) {
    const toElement = (value: unknown) => toEpochMilliseconds(value as Temporal.Instant | null | undefined);
    return { type: 'bigint', toElement, toExpression: (element) => `to_timestamp(${element} * 0.001::float8)` };
  }
  if (columnType === 'jsonb')
    return { type: 'text', toElement: toDatabaseValue, toExpression: (element) => `${element}::jsonb` };
  return { type: columnType, toElement: toDatabaseValue, toExpression: (element) => element };
}

/** Returns text for an instant that cannot be stored. PostgreSQL refuses it, as it refuses a single value. */
function toEpochMilliseconds(instant: Temporal.Instant | null | undefined): number | string | null | undefined {
  if (instant == null) return instant;
  return isStorableInstant(instant) ? instant.epochMilliseconds : formatInstant(instant);
}

/**
 * Hides the length of an array parameter from PostgreSQL's planner. It would otherwise plan a prepared statement again
 * for each call with fewer than ten elements, because it expects ten of an array of unknown length.
 *
 * @param parameter an SQL expression such as `$1::bigint[]`
 */
export function toArrayOfUnknownLength(parameter: string): string {
  return `(select ${parameter})`;
}

/**
 * Formats a PostgreSQL array literal. Arrays are sent as text, because pg and PGlite send arrays of some types
 * differently.
 */
export function toArrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(toArrayElement).join(',')}}`;
}

function toArrayElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
