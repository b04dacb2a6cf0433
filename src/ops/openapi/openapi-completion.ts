import { z } from 'zod';
import { conflictExtensions } from '../../session/index.js';
import { createProblemSchema } from '../../shared/errors/index.js';
import { OTHER_MEDIA_KEY } from '../../shared/http/index.js';
import { REQUEST_EXAMPLES_KEY } from '../../shared/validation/index.js';
import type { MediaType, OpenApi, Operation, RequestBody, Response, Schema, Schemas } from './openapi-types.js';
import { completeSchemas, removeInternalMetadata } from './openapi-schemas.js';

/* Completes the OpenAPI document that Nest creates. */

/**
 * Adds the problem schema, the aliases of fields, examples of requests, and further media types of responses.
 * Simplifies the schemas. Changes the document in place.
 */
export function completeSchemasAndOperations({ components, paths }: OpenApi): void {
  const { schemas } = components;
  Object.assign(schemas, z.toJSONSchema(createProblemSchema(conflictExtensions), { target: 'draft-2020-12' }).$defs);
  rewriteReferences(schemas);
  completeSchemas(schemas);
  for (const path of Object.values(paths)) {
    for (const operation of Object.values(path)) completeOperation(operation, schemas);
  }
  removeInternalMetadata(schemas);
}

/**
 * Rewrites the references in the problem schema to the form that Nest uses, because this schema is converted by zod
 * instead of Nest.
 */
function rewriteReferences(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if ('$ref' in value && typeof value.$ref === 'string')
    value.$ref = value.$ref.replace('#/$defs/', '#/components/schemas/');
  Object.values(value).forEach(rewriteReferences);
}

/**
 * Adds the named examples of the request body, and further media types to the responses. Other bodies need no examples,
 * because tools compose them from the examples of the fields.
 */
function completeOperation(operation: Operation, schemas: Schemas): void {
  const { requestBody, responses } = operation;
  // A response with its own status, and no other, has the schema that the extension names.
  if ('x-preference' in (responses[200] ?? {}) && responses[201] === undefined) delete operation['x-representation'];
  for (const response of Object.values(responses)) addOtherMedia(response as Response);
  const { content = {} } = (requestBody ?? {}) as Partial<RequestBody>;
  for (const media of Object.values(content)) addRequestExamples(media, schemas);
}

function addOtherMedia(response: Response): void {
  const { [OTHER_MEDIA_KEY]: otherMedia = {} } = response;
  Reflect.deleteProperty(response, OTHER_MEDIA_KEY);
  for (const [mediaType, type] of Object.entries(otherMedia)) response.content![mediaType] = { schema: { type } };
}

function addRequestExamples(media: MediaType, schemas: Schemas): void {
  const [only] = media.schema?.allOf ?? [];
  if (only?.$ref) media.schema = only;
  const examples = resolve(media.schema, schemas)[REQUEST_EXAMPLES_KEY];
  if (examples) media.examples = examples;
}

function resolve(schema: Schema = {}, schemas: Schemas): Schema {
  const reference = schema.$ref ?? schema.anyOf?.[0]?.$ref;
  const name = reference?.split('/').at(-1);
  return name === undefined ? schema : resolve(schemas[name], schemas);
}
