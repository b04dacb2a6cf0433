import { visit } from './openapi-schemas.js';
import type { OpenApi, Schema } from './openapi-types.js';

/*
 * Describes the values that most fields have once: ids and instants. Such a field refers to the schema of its value, and
 * keeps its own description beside the reference, as JSON Schema allows since 2019-09.
 */

const VALUES = {
  Id: { type: 'integer', minimum: 1, format: 'int64', description: 'Id of the record.', example: 1 },
  Instant: { type: 'string', description: 'ISO 8601, UTC.', example: '2027-03-28T08:30:00.000Z' },
} as const;
const INSTANT_PATTERN = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Replaces ids and instants with references. Changes the schemas and parameters in place. */
export function shareValues({ schemas, parameters = {} }: OpenApi['components']): void {
  for (const schema of [...Object.values(schemas), ...Object.values(parameters).map((one) => one.schema)])
    visit(schema, referToValues);
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = toReference(schema);
  Object.assign(schemas, VALUES);
}

function referToValues(schema: Schema): void {
  const { properties = {}, items } = schema;
  for (const [key, property] of Object.entries(properties)) properties[key] = toReference(property);
  // The description of a list also covers its items.
  if (items && findValue(items)) schema.items = toReference({ ...items, description: VALUES.Id.description });
}

function toReference(schema: Schema): Schema {
  const { description, example } = schema;
  const name = findValue(schema);
  if (name === undefined) return schema;
  const value = VALUES[name];
  const hasOwnExample = example !== undefined && example !== value.example;
  return {
    $ref: `#/components/schemas/${name}`,
    ...(description !== value.description && { description }),
    ...(hasOwnExample && { example }),
  };
}

function findValue({ description: _, example, ...schema }: Schema): keyof typeof VALUES | undefined {
  const { type, minimum, format } = VALUES.Id;
  if (isEqual(schema, { type, minimum, format })) return 'Id';
  return isEqual(schema, { type: VALUES.Instant.type }) && INSTANT_PATTERN.test(String(example))
    ? 'Instant'
    : undefined;
}

function isEqual(one: Schema, other: Schema): boolean {
  const toText = (schema: Schema) => JSON.stringify(Object.entries(schema).sort(([a], [b]) => (a < b ? -1 : 1)));
  return toText(one) === toText(other);
}
