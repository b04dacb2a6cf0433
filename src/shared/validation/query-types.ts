import { z } from 'zod';
import { isStorableInstant } from '../persistence/index.js';

/* Filters for lists. Query values are strings, but the OpenAPI document shows the types that they represent. */

/** The schema of a query parameter with a boolean. */
export const booleanQuery = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');

/** An instant in ISO 8601 format with Z or an offset. */
export const isoInstant = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time with Z or an offset' })
  // Temporal refuses a fraction of more than nine digits. The format `date-time` has no such limit.
  .transform((value) => Temporal.Instant.from(value.replace(/(\.\d{9})\d+/, '$1')))
  .refine(isStorableInstant, 'must be in the years 1 to 9999');

/** Creates the schema of a query parameter with an optional instant. */
export const instantQuery = (description: string) =>
  isoInstant.optional().meta({ description, example: '2027-03-01T00:00:00Z' });

/** Maximum number of values per filter, which limits the size of the SQL condition. */
const MAX_VALUES = 50;

/**
 * An optional filter with several values, separated by commas or given by repeating the parameter. Repeated values
 * count once. An empty list of values is refused, because it could mean all items or none.
 */
export const enumListQuery = <const Value extends string>(values: readonly Value[], description: string) =>
  listQuery({
    description,
    expected: `one or more of ${values.join(', ')}`,
    items: { type: 'string', enum: values },
    example: values[0],
    parse: (text) => values.find((value) => value === text),
  });

/** An optional filter with several upper-case names, such as those of channels. See `enumListQuery`. */
export const nameListQuery = (description: string, example: string) =>
  listQuery({
    description,
    expected: 'one or more names',
    items: { type: 'string', pattern: NAME.source },
    example,
    parse: (text) => (NAME.test(text) ? text : undefined),
  });
const NAME = /^[A-Z][A-Z0-9_]{0,31}$/;

/** An optional filter with several IDs. See `enumListQuery`. */
export const idListQuery = (description: string) =>
  listQuery({
    description,
    expected: 'one or more positive integers',
    items: { type: 'integer', format: 'int64', minimum: 1 },
    example: 1,
    parse: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
  });

/** An optional filter with several UUIDs. See `enumListQuery`. */
export const uuidListQuery = (description: string) =>
  listQuery({
    description,
    expected: 'one or more UUIDs',
    items: { type: 'string', format: 'uuid' },
    example: '019abcde-0000-7000-8000-000000000000',
    parse: (text) => (uuid.safeParse(text).success ? text.toLowerCase() : undefined),
  });
const uuid = z.uuid();

type FilterValue<Value> = {
  description: string;
  /** The part of the error message after "must be", for example `one or more UUIDs`. */
  expected: string;
  /** The JSON Schema of one value. */
  items: Readonly<Record<string, unknown>>;
  example: unknown;
  /** Parses one value. Returns undefined if the text is not an allowed value. */
  parse: (text: string) => Value | undefined;
};

function listQuery<Value>({ description, expected, items, example, parse }: FilterValue<Value>) {
  const message = `must be ${expected}, ${MAX_VALUES} at most, separated by commas`;
  return z
    .union([z.string(), z.array(z.string())], { error: message })
    .transform((input, context): Value[] => {
      const texts = [input].flat().flatMap((part) => part.split(',', MAX_VALUES + 1));
      const values = texts.map((text) => parse(text.trim()));
      if (values.length > 0 && values.length <= MAX_VALUES && !values.includes(undefined))
        return [...new Set(values as Value[])];
      context.issues.push({ code: 'custom', message, input });
      return z.NEVER;
    })
    .optional()
    .meta({
      description,
      // The OpenAPI document shows a list, although the value is text, and explains how to send several values.
      ...{ type: 'array', items, anyOf: undefined, example: [example] },
    });
}

export type SortOrder<Field extends string = string> = {
  field: Field;
  direction: 'asc' | 'desc';
  /** The value of the parameter, unless it is the default. Cursors contain it, so that they fit no other order. */
  cursorTag?: string;
};

/**
 * The sort order of a list: the name of a field, with `-` before it for descending order. The first field is the
 * default.
 */
export const sortQuery = <const Field extends string>(fields: readonly [Field, ...Field[]], description = 'Order.') => {
  const choices: string[] = fields.flatMap((field) => [field, `-${field}`]);
  return z
    .enum(choices, { error: `must be one of ${choices.join(', ')}` })
    .default(fields[0] as string)
    .transform((sort): SortOrder<Field> => {
      const isDescending = sort.startsWith('-');
      return {
        field: (isDescending ? sort.slice(1) : sort) as Field,
        direction: isDescending ? 'desc' : 'asc',
        ...(sort !== fields[0] && { cursorTag: sort }),
      };
    })
    .meta({ description: `${description} With \`-\`: descending.`, example: fields[0] });
};
