/**
 * Creates the condition of a find for a filter with several values. With one value, PostgreSQL can read the rows in the
 * order of an index that begins with the column.
 */
export function oneOf<Value>(values: readonly Value[]): Value | { $in: readonly Value[] } {
  return values.length === 1 ? values[0]! : { $in: values };
}

/** Creates the conditions of several filters, by the names of their fields. Absent filters have no condition. */
export function oneOfEach(filters: Readonly<Record<string, readonly unknown[] | undefined>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, values]) => (values === undefined ? [] : [[name, oneOf(values)] as const])),
  );
}
