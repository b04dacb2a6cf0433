/**
 * Creates the condition for a filter with one or more values. For a single value, it uses equality: only then can
 * PostgreSQL read the rows in the order of an index that begins with the column.
 */
export function toOneOfFilter<Value>(values: readonly Value[]): Value | { $in: readonly Value[] } {
  return values.length === 1 ? values[0]! : { $in: values };
}

/** Creates the conditions of several filters, keyed by field name. Undefined filters are omitted. */
export function toOneOfFilters(
  filters: Readonly<Record<string, readonly unknown[] | undefined>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, values]) =>
      values === undefined ? [] : [[name, toOneOfFilter(values)] as const],
    ),
  );
}

type Range<Value> = Partial<Record<'$gt' | '$gte' | '$lt' | '$lte', Value>>;
type AfterKey<Field extends string> = Partial<Record<Field, Range<Temporal.Instant>>> & {
  $or: (Partial<Record<Field, Range<Temporal.Instant>>> | { id: Range<number> })[];
};

/**
 * Creates the condition for the rows after a sort key, where rows are sorted by a time and then by ID.
 *
 * @param field the name of the time field
 */
export function toAfterKeyFilter<Field extends string>(
  field: Field,
  direction: 'asc' | 'desc',
  at: Temporal.Instant,
  id: number,
): AfterKey<Field> {
  const [from, beyond] = direction === 'asc' ? (['$gte', '$gt'] as const) : (['$lte', '$lt'] as const);
  const inOrder = (operator: keyof Range<Temporal.Instant>) =>
    ({ [field]: { [operator]: at } }) as Partial<Record<Field, Range<Temporal.Instant>>>;
  // The range of times excludes rows before the key, and lets PostgreSQL start the index scan at the key.
  return { ...inOrder(from), $or: [inOrder(beyond), { id: { [beyond]: id } }] };
}
