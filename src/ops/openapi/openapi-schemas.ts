import type { SwaggerDocumentOptions } from '@nestjs/swagger';
import { z } from 'zod';
import { ALIASES_KEY, REQUEST_EXAMPLES_KEY } from '../../shared/validation/index.js';
import { SharedComponents } from './openapi-components.js';
import type { Schema, Schemas } from './openapi-types.js';

/* A JSON Schema that zod has generated. */

type Converted = Schema & { $schema?: string; $defs?: Schemas };

/**
 * Converts a zod type to JSON Schema for `SwaggerModule.createDocument`, which by default would ask zod for OpenAPI
 * 3.0.
 */
export const convertZodType: NonNullable<SwaggerDocumentOptions['standardSchemaConverter']> = (
  schema,
  { schemaType },
) => {
  const {
    $schema: _,
    $defs = {},
    ...converted
  } = z.toJSONSchema(schema as z.ZodType, { target: 'draft-2020-12', io: schemaType }) as Converted;
  return { schema: converted, components: $defs };
};

/** Simplifies the components in place, and adds the aliases of fields. */
export function completeSchemas(schemas: Schemas): void {
  for (const schema of Object.values(schemas)) {
    addAliases(schema);
    visit(schema, simplifySchema);
  }
}

/** Moves simple properties that several schemas have in common to separate schemas. Changes the schemas in place. */
export function shareRepeatedProperties(schemas: Schemas): void {
  // A component with the name of a global class, such as `Date`, would hide the class in generated clients.
  const shared = new SharedComponents<Schema>('schemas', (name) => !(name in schemas) && !(name in globalThis));
  const all = Object.values(schemas).flatMap(listProperties);
  for (const { owner, key } of all) shared.count(key, owner[key]!);
  for (const { owner, key } of all) owner[key] = shared.share(key, owner[key]!);
  Object.assign(schemas, shared.components);
}

/** Whether the schema describes a value without fields, or a list of such values. */
export const isSimpleSchema = ({ type, properties, items }: Schema) =>
  type !== undefined && !properties && !items?.properties && !items?.allOf;

function listProperties(schema: Schema): { owner: Schemas; key: string }[] {
  const found: ReturnType<typeof listProperties> = [];
  visit(schema, ({ properties: owner = {} }) => {
    for (const [key, property] of Object.entries(owner)) {
      if (isSimpleSchema(property)) found.push({ owner, key });
    }
  });
  return found;
}

/** Removes the metadata that JSON Schema does not define. Called last, because examples are read from it. */
export function removeInternalMetadata(schemas: Schemas): void {
  for (const [name, { [ALIASES_KEY]: _, [REQUEST_EXAMPLES_KEY]: __, ...schema }] of Object.entries(schemas))
    schemas[name] = schema;
}

/** Adds aliases as properties. Neither name is marked as required, because one of them is enough. */
function addAliases(schema: Schema): void {
  const { properties = {}, required = [], [ALIASES_KEY]: aliases = {} } = schema;
  for (const [field, alias] of Object.entries(aliases)) {
    properties[alias] = {
      ...properties[field],
      description: `Another name of \`${field}\`. Only one of the two is needed.`,
    };
  }
  const stillRequired = required.filter((field) => !(field in aliases));
  if (stillRequired.length > 0) schema.required = stillRequired;
  else delete schema.required;
}

/** Simplifies one schema in place: a component, a part of one, or the schema of a parameter. */
export function simplifySchema(schema: Schema): void {
  mergeNull(schema);
  // The referenced schema has its own example.
  if (schema.$ref) delete schema.example;
  // Later releases may add fields, so generated clients must accept unknown fields.
  delete schema.additionalProperties;
  // An integer needs no explicit bounds of safe integers, because JavaScript has no other exact integers.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // For formats that JSON Schema defines, zod also adds its own regular expression of up to 300 characters.
  if (['uuid', 'date', 'date-time'].includes(schema.format ?? '')) delete schema.pattern;
  // Tools show the first value as the example.
  if (schema.enum !== undefined && schema.enum[0] === schema.example) delete schema.example;
  // A text with a character that is no space is not empty.
  if (schema.pattern === '\\S') delete schema.minLength;
  // The schema of the names of properties says only that they are texts, which JSON requires anyway.
  delete schema.propertyNames;
}

/** Rewrites `anyOf` of a plain type and null as one schema with two types, which is shorter and reads better. */
function mergeNull(schema: Schema): void {
  const [only, nothing, ...more] = schema.anyOf ?? [];
  if (only?.type === undefined || Array.isArray(only.type) || nothing?.type !== 'null' || more.length > 0) return;
  delete schema.anyOf;
  const { enum: values } = only;
  Object.assign(schema, { ...only, ...schema, type: [only.type, 'null'], ...(values && { enum: [...values, null] }) });
}

export function visit(schema: Schema, act: (schema: Schema) => void): void {
  act(schema);
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ];
  for (const part of parts) visit(part, act);
}
