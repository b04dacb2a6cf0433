import type { OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { createProblem, PROBLEM_JSON, problemSchema } from '../../shared/errors/index.js';
import { REQUEST_EXAMPLES_KEY, ALIASES_KEY, type RequestExample } from '../../shared/validation/index.js';

/* Adds second spellings, examples and errors to the OpenAPI document that Nest creates. */

type Schema = {
  $ref?: string;
  allOf?: Schema[];
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  items?: Schema;
  enum?: unknown[];
  example?: unknown;
  [ALIASES_KEY]?: Record<string, string>;
  [REQUEST_EXAMPLES_KEY]?: Record<string, RequestExample>;
};
type Schemas = Record<string, Schema>;
type MediaType = { schema?: Schema; example?: unknown; examples?: Record<string, RequestExample> };
type Content = Record<string, MediaType>;
type Response = { description: string; content?: Content; headers?: Record<string, unknown> };
type Operation = { requestBody?: { content: Content }; responses: Record<string, Response> };

/** Completes the document in place and returns it. */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas as Schemas;
  const { definitions } = z.toJSONSchema(problemSchema, { target: 'openapi-3.0' });
  Object.assign(schemas, definitions);
  for (const schema of Object.values(schemas)) {
    addAliases(schema);
    // Later releases may add fields, so generated clients must accept unknown fields.
    visit(schema, (inner) => {
      delete inner.additionalProperties;
      if (inner.$ref) inner.$ref = inner.$ref.replace('#/definitions/', '#/components/schemas/');
    });
  }
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path) as Operation[]) completeOperation(operation, schemas);
  }
  for (const [name, { [ALIASES_KEY]: _, [REQUEST_EXAMPLES_KEY]: __, ...schema }] of Object.entries(schemas))
    schemas[name] = schema;
  return document;
}

/** Adds second spellings as properties. Neither spelling is marked as required, because either one is enough. */
function addAliases(schema: Schema): void {
  const { properties = {}, required = [], [ALIASES_KEY]: spellings = {} } = schema;
  for (const [field, second] of Object.entries(spellings)) {
    properties[second] = { ...properties[field], description: `Second spelling of \`${field}\`: give one of the two.` };
  }
  const stillRequired = required.filter((field) => !(field in spellings));
  if (stillRequired.length > 0) schema.required = stillRequired;
  else delete schema.required;
}

function completeOperation({ requestBody, responses }: Operation, schemas: Schemas): void {
  for (const media of Object.values(requestBody?.content ?? {})) addRequestExamples(media, schemas);
  for (const [status, response] of Object.entries(responses)) {
    if (response.content?.[PROBLEM_JSON]) completeError(Number(status), response, response.content[PROBLEM_JSON]);
    else for (const media of Object.values(response.content ?? {})) media.example = toExample(media.schema, schemas);
  }
}

function addRequestExamples(media: MediaType, schemas: Schemas): void {
  const [only] = media.schema?.allOf ?? [];
  if (only?.$ref) media.schema = only;
  const examples = resolve(media.schema, schemas)[REQUEST_EXAMPLES_KEY];
  if (examples) media.examples = examples;
  else media.example = toExample(media.schema, schemas);
}

function completeError(status: number, response: Response, media: MediaType): void {
  media.example = createProblem({
    status,
    detail: response.description,
    requestId: '018f3b1e-7c1a-7000-8000-000000000000',
    ...(status === 400 ? { errors: [{ pointer: '/name', detail: 'must not be empty' }] } : {}),
    ...(status === 422 ? { errors: [{ pointer: '/weeks/2/assignments/0/bookId', detail: UNUSABLE_BOOK }] } : {}),
  });
  const header = ERROR_HEADERS[status];
  if (header) response.headers = { ...response.headers, ...header };
}

const UNUSABLE_BOOK = 'must be a Book that the Clinic may use';
const ERROR_HEADERS: Readonly<Record<number, Record<string, unknown>>> = {
  401: toHeader('WWW-Authenticate', 'How to authenticate.', 'Bearer error="invalid_token"'),
  429: {
    ...toHeader('Retry-After', 'Seconds after which to try again.', '30'),
    ...toHeader(
      'RateLimit-Policy',
      'The limits that apply: requests (q) in a window of seconds (w).',
      '"caller";q=600;w=60',
    ),
    ...toHeader('RateLimit', 'Requests that are left (r), and seconds until there are more (t).', '"caller";r=0;t=30'),
  },
  503: toHeader('Retry-After', 'Seconds after which to try again.', '5'),
};

function toHeader(name: string, description: string, example: string) {
  return { [name]: { description, schema: { type: 'string', example } } };
}

/** Returns the schema's own example or composes one from the examples of its parts. */
function toExample(schemaOrReference: Schema | undefined, schemas: Schemas): unknown {
  const schema = resolve(schemaOrReference, schemas);
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (schema.items) return [toExample(schema.items, schemas)];
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, property]) => [name, toExample(property, schemas)]));
}

function resolve(schema: Schema = {}, schemas: Schemas): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolve(schemas[name], schemas);
}

function visit(schema: Schema, act: (schema: Schema) => void): void {
  act(schema);
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.allOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ];
  for (const part of parts) visit(part, act);
}
