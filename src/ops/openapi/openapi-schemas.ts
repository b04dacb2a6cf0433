import type { SwaggerDocumentOptions } from '@nestjs/swagger';
import { z } from 'zod';
import { ALIASES_KEY, REQUEST_EXAMPLES_KEY } from '../../shared/validation/index.js';
import { SharedComponents } from './openapi-components.js';
import type { Schema, Schemas } from './openapi-types.js';

/* A JSON Schema that zod has generated. */

type Converted = Schema & { $schema?: string; $defs?: Schemas };

/** Converts a zod type for `SwaggerModule.createDocument`, which by itself would ask zod for OpenAPI 3.0. */
export const convertSchema: NonNullable<SwaggerDocumentOptions['standardSchemaConverter']> = (
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
    visit(schema, simplify);
  }
}

/** Minimum length of a property's JSON. A shorter property is easier to read in place than as a reference. */
const MINIMUM_LENGTH = 50;

/**
 * Moves simple properties that several schemas have in common to schemas of their own. Changes the schemas in place.
 */
export function shareRepeatedProperties(schemas: Schemas): void {
  const shared = new SharedComponents<Schema>('schemas');
  const all = Object.entries(schemas).flatMap(([schemaName, schema]) =>
    listProperties(schema).map(({ owner, key }) => ({ owner, key, alternative: `${schemaName}-${key}-field` })),
  );
  // `Date` alone would hide the class in generated clients, so all names end with "Field".
  for (const { owner, key } of all) shared.count(`${key}-field`, owner[key]!);
  for (const { owner, key, alternative } of all) owner[key] = shared.share(`${key}-field`, alternative, owner[key]!);
  Object.assign(schemas, shared.components);
}

function listProperties(schema: Schema): { owner: Schemas; key: string }[] {
  const found: ReturnType<typeof listProperties> = [];
  visit(schema, ({ properties: owner = {} }) => {
    for (const [key, property] of Object.entries(owner)) {
      const isSimple = property.type !== undefined && !property.properties && !property.items?.properties;
      if (isSimple && JSON.stringify(property).length >= MINIMUM_LENGTH) found.push({ owner, key });
    }
  });
  return found;
}

/** Minimum length of the repeated properties' JSON. A smaller saving is not worth an additional schema. */
const MINIMUM_SAVING = 200;

/**
 * Replaces properties that a schema repeats from another schema with a reference to that schema. Changes the schemas in
 * place.
 */
export function shareBaseSchemas(schemas: Schemas): void {
  const originals = Object.entries(schemas).flatMap(([name, schema]) =>
    schema.properties ? [{ name, texts: describeProperties(schema), schema }] : [],
  );
  for (const { name, texts, schema } of originals) {
    const bases = originals.filter(
      (one) => one.texts.size < texts.size && [...one.texts].every((text) => texts.has(text)),
    );
    const base = bases.toSorted((a, b) => b.texts.size - a.texts.size)[0];
    if (base === undefined || JSON.stringify(base.schema.properties).length < MINIMUM_SAVING) continue;
    const inherited = base.schema.properties!;
    const { properties = {}, required = [], ...others } = schema;
    const own = Object.entries(properties).filter(([key]) => !(key in inherited));
    const ownRequired = required.filter((key) => !(key in inherited));
    const part = { properties: Object.fromEntries(own), ...(ownRequired.length > 0 && { required: ownRequired }) };
    schemas[name] = { ...others, allOf: [{ $ref: `#/components/schemas/${base.name}` }, { type: 'object', ...part }] };
  }
}

/** Returns a text for each property. Two properties are equal if their texts are. */
function describeProperties({ properties = {}, required = [] }: Schema): Set<string> {
  return new Set(
    Object.entries(properties).map(([name, schema]) => JSON.stringify([name, required.includes(name), schema])),
  );
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
export function simplify(schema: Schema): void {
  mergeNull(schema);
  // The referenced schema has its own example.
  if (schema.$ref) delete schema.example;
  // Later releases may add fields, so generated clients must accept unknown fields.
  delete schema.additionalProperties;
  // In JavaScript, `type: integer` already implies the bounds of safe integers.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // zod adds its regular expression of up to 300 characters for formats that JSON Schema defines.
  if (schema.format === 'uuid' || schema.format === 'date-time') delete schema.pattern;
}

/** Rewrites `anyOf` of a plain type and null as one schema with two types, which is shorter and reads better. */
function mergeNull(schema: Schema): void {
  const [only, nothing, ...more] = schema.anyOf ?? [];
  if (only?.type === undefined || Array.isArray(only.type) || nothing?.type !== 'null' || more.length > 0) return;
  delete schema.anyOf;
  const { enum: values } = only;
  Object.assign(schema, { ...only, ...schema, type: [only.type, 'null'], ...(values && { enum: [...values, null] }) });
}

function visit(schema: Schema, act: (schema: Schema) => void): void {
  act(schema);
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ];
  for (const part of parts) visit(part, act);
}
