/** Returns the fields of a row as pairs. Instants become text, because Jest considers any two instants equal. */
export function toComparableFields(row: object): unknown {
  return Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Temporal.Instant ? String(value) : value,
  ]);
}
