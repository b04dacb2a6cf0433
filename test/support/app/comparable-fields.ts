/** The fields of a row, to be compared: instants as text, as to Jest all are alike. */
export function toComparableFields(row: object): unknown {
  return Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Temporal.Instant ? String(value) : value,
  ]);
}
