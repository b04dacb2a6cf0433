import type { TestApp } from '../app/test-app.js';
import type { OpenApiDocument, Operation, Parameter, Schema } from './openapi-document.js';

type Reference = { $ref?: string };
type ServedOperation = Operation & { security?: unknown[] };
type ServedDocument = OpenApiDocument & { security: unknown[]; components: Record<string, Record<string, object>> };

/** Statuses of the errors that the response `default` stands for. */
const GENERAL_ERRORS = {
  always: ['400', '429', '500', '503'],
  withToken: ['401', '403'],
  withPath: ['404'],
  withBody: ['413', '415'],
  withKey: ['409', '422'],
  withSyncToken: ['410'],
  withVersion: ['412', '428'],
};
/** Matches the example in the description of an optional parameter. It is there so that tools do not prefill it. */
const EXAMPLE_IN_DESCRIPTION = / For example `([^`]+)`\.$/;

/** Reads the served document, and expands the references to parameters, bodies, responses and headers. */
export async function readOpenApiDocument(app: TestApp): Promise<OpenApiDocument> {
  return expandReferences((await app.call('GET', '/openapi.json')).body as OpenApiDocument);
}

export function expandReferences(served: OpenApiDocument): OpenApiDocument {
  const document = structuredClone(served) as ServedDocument;
  const resolve = <T extends object>(one: T & Reference): T => {
    const [, , section, name] = one.$ref?.split('/') ?? [];
    return section === undefined ? one : (structuredClone(document.components[section]![name!]) as T);
  };
  const complete = (operation: ServedOperation) => {
    operation.parameters = (operation.parameters ?? []).map((one) => restoreExample(resolve(one)));
    if (operation.requestBody) operation.requestBody = resolve(operation.requestBody);
    for (const media of Object.values(operation.requestBody?.content ?? {}))
      if (media.examples === undefined) media.example = composeExample(media.schema, document.components.schemas);
    const responses = Object.entries(operation.responses).map(([status, one]) => [status, resolve(one)] as const);
    const security = operation.security ?? document.security;
    const general = [
      ...GENERAL_ERRORS.always,
      ...(security.length > 0 ? GENERAL_ERRORS.withToken : []),
      ...(operation.requestBody ? GENERAL_ERRORS.withBody : []),
      ...(operation.parameters.some((one) => one.in === 'path') ? GENERAL_ERRORS.withPath : []),
      ...(operation.parameters.some(({ name }) => name === 'Idempotency-Key') ? GENERAL_ERRORS.withKey : []),
      ...(operation.parameters.some(({ name }) => name === 'syncToken') ? GENERAL_ERRORS.withSyncToken : []),
      ...(operation.parameters.some(({ name }) => name === 'if-match') ? GENERAL_ERRORS.withVersion : []),
    ];
    operation.responses = Object.fromEntries(
      responses.flatMap(([status, one]) =>
        status === 'default'
          ? general.filter((error) => !(error in operation.responses)).map((error) => [error, one])
          : [[status, one]],
      ),
    );
    if (security.length > 0) operation.security = security;
    else delete operation.security;
  };
  const { schemas } = document.components;
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = mergeParts(schema, schemas);
  for (const item of Object.values(document.paths)) {
    moveParametersToOperations(item);
    for (const operation of Object.values(item)) complete(operation);
  }
  return document;
}

/** Moves the parameters of a path, which all of its operations have, to the operations. */
function moveParametersToOperations(item: Record<string, Operation>): void {
  const { parameters: common = [] } = item as unknown as { parameters?: Parameter[] };
  delete item['parameters'];
  for (const operation of Object.values(item)) operation.parameters = [...common, ...(operation.parameters ?? [])];
}

/** Merges the schemas that a schema refers to with `allOf` into one schema. */
function mergeParts(schema: Schema, schemas: Record<string, Schema>): Schema {
  if (schema.allOf === undefined) return schema;
  const { allOf, ...others } = schema;
  const parts = allOf.map((part) => mergeParts(schemas[part.$ref?.split('/').at(-1) ?? ''] ?? part, schemas));
  const required = parts.flatMap((part) => part.required ?? []);
  return {
    ...others,
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as NonNullable<Schema['properties']>,
    ...(required.length > 0 && { required }),
  };
}

/** Composes an example from those of the fields, as Swagger UI does. Undefined if a field has none. */
function composeExample(schema: Schema, schemas: Record<string, Schema>): unknown {
  const { example, items, properties, enum: values, $ref } = schema;
  if (example !== undefined) return example;
  if ($ref !== undefined) return composeExample(schemas[$ref.split('/').at(-1)!]!, schemas);
  if (values !== undefined) return values[0];
  if (items !== undefined) return [composeExample(items, schemas)];
  const fields = Object.entries(properties ?? {}).map(([name, one]) => [name, composeExample(one, schemas)] as const);
  const isComplete = fields.length > 0 && fields.every(([, value]) => value !== undefined);
  return isComplete ? Object.fromEntries(fields) : undefined;
}

function restoreExample(parameter: Parameter & { description?: string }): Parameter {
  const example = EXAMPLE_IN_DESCRIPTION.exec(parameter.description ?? '')?.[1];
  if (example !== undefined) {
    const isNumber = parameter.schema.type === 'integer';
    parameter.schema = { ...parameter.schema, example: isNumber ? Number(example) : example };
  }
  return parameter;
}
