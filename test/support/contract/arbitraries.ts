import fc from 'fast-check';
import { FIELD_ALIASES, resolveSchema, type OpenApiDocument, type Schema } from './openapi-document.js';

/* Generates random values for requests. Most are valid according to the OpenAPI document, and some are arbitrary. */

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '\0', '\ud800', '2027/03/01', '09:30', '2023/02/29', '21/8/23 9:30 AM', '-P1D', '😀', "'--"),
);
const number = fc.oneof(
  fc.integer({ min: -2, max: 12 }),
  fc.double(),
  fc.constantFrom(0, 1, 100, 2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e308),
);
export const anyValue = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
  fc.array(number, { maxLength: 4 }),
);
/** Generates mostly the valid value, sometimes any value, and sometimes no value. */
export const mostlyValid = (right: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 16, arbitrary: right },
    { weight: 1, arbitrary: anyValue },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

const plainText = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('Sleep', 'Über 😀', ' x ') }, text);
/** Edge cases of dates, times, durations and IDs. For each field, those that match its pattern are used. */
const EDGE_CASE_TEXTS = [
  ...['2027/03/28', '2028/02/29', '2023/02/29', '0001/01/01', '9999/12/31', '2023/08/21 09:30', '21/8/23 9:30 AM'],
  ...['00:00', '01:30', '23:59', '2027-03-28T01:30:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999+14:00'],
  ...['-P1D', '-PT2H', 'P1M', 'P9999Y', '1', '999999999', 'OK', 'DENIED', '404', 'client/1', 'care-provider/2'],
];

/**
 * Generates values for schemas of the document. Nested values are mostly valid.
 *
 * @param pools values for fields with these names, because the referenced records must exist
 */
export class SchemaArbitraries {
  constructor(
    private readonly document: OpenApiDocument,
    private readonly pools: Readonly<Record<string, readonly unknown[]>>,
  ) {}

  forSchema(reference: Schema, field = ''): fc.Arbitrary<unknown> {
    const schema = resolveSchema(reference, this.document);
    const right = this.forNonNullable(schema, field);
    return schema.nullable ? fc.oneof({ weight: 9, arbitrary: right }, fc.constant(null)) : right;
  }

  private forNonNullable(schema: Schema, field: string): fc.Arbitrary<unknown> {
    const { items, properties, type } = schema;
    if (items) return fc.array(mostlyValid(this.forSchema(items, field)), { maxLength: 3 });
    if (properties) return this.forObject(properties);
    if (this.pools[field]) return fc.constantFrom(...this.pools[field]);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (type === 'boolean') return fc.boolean();
    return type === 'integer' || type === 'number' ? wholeNumber(schema) : patternText(schema);
  }

  /** If a field has two names, usually only one of them is generated, because both values would have to be equal. */
  private forObject(properties: Record<string, Schema>): fc.Arbitrary<object> {
    const isSpelling = (name: string) => FIELD_ALIASES[name] !== undefined && FIELD_ALIASES[name] in properties;
    const fields = Object.entries(properties).map(
      ([name, schema]) => [name, mostlyValid(this.forSchema(schema, name))] as const,
    );
    const spellings = fields.filter(([name]) => isSpelling(name)).map(([name]) => name);
    const hidden = fc.oneof(
      { weight: 9, arbitrary: fc.shuffledSubarray(spellings, { minLength: spellings.length }) },
      { weight: 1, arbitrary: fc.constant([]) },
    );
    return fc.tuple(fc.record(Object.fromEntries(fields)), hidden).map(([value, order]) => {
      const dropped = new Set<string>();
      for (const name of order) if (!dropped.has(FIELD_ALIASES[name]!)) dropped.add(name);
      return Object.fromEntries(Object.entries(value).filter(([name]) => !dropped.has(name)));
    });
  }
}

function wholeNumber({ minimum = -2, maximum = 2 ** 53, example }: Schema): fc.Arbitrary<unknown> {
  const edges = [minimum, maximum, example].filter((edge) => typeof edge === 'number');
  return fc.oneof(fc.integer({ min: minimum, max: Math.min(maximum, minimum + 12) }), fc.constantFrom(...edges));
}

/** Patterns for formats that JSON Schema defines. The document contains no patterns for them. */
const FORMAT_PATTERNS: Readonly<Record<string, string>> = {
  'date-time': String.raw`^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$`,
};

function patternText({ format = '', pattern = FORMAT_PATTERNS[format], example }: Schema): fc.Arbitrary<unknown> {
  const right = fc.constantFrom(
    example,
    ...EDGE_CASE_TEXTS.filter((one) => pattern !== undefined && new RegExp(pattern).test(one)),
  );
  return pattern === undefined ? fc.oneof(right, plainText) : right;
}
