import { describeResults } from './client-results.js';

/* Reads from the OpenAPI document what the client needs to know of each operation. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
  additionalProperties?: unknown;
};
type Media = { schema: Schema };
export type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema & { example?: unknown };
  explode?: boolean;
};
export type Response = {
  $ref?: string;
  description?: string;
  content?: Record<string, Media>;
  headers?: Record<string, unknown>;
  /** The preference (RFC 7240) that causes this response. */
  'x-preference'?: string;
};
type RequestBody = { $ref?: string; required?: boolean; content: Record<string, Media> };
export type DocumentedOperation = {
  operationId: string;
  summary?: string;
  description?: string;
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, Response>;
  'x-required-role'?: string;
  /** The body with `Prefer: return=representation`, if its status is that of the body without. */
  'x-representation'?: Schema;
};
export type OpenApiDocument = {
  openapi: string;
  /** The requirement of every operation that has none of its own. */
  security?: unknown[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    responses?: Record<string, Response>;
    requestBodies?: Record<string, RequestBody>;
  };
};

/** An entry of the client's table. Absent members have the usual value. */
type Entry = {
  method: string;
  path: string;
  /** Headers that are members of the input, by the name of the member. */
  headers?: Record<string, string>;
  /** Query parameters whose values are separated by commas. */
  lists?: string[];
  /** The media type of the body, unless it is JSON. */
  contentType?: string;
  /** The operation takes an `Idempotency-Key`. */
  keyed?: true;
  /** The operation has no parameter and no body. */
  noInput?: true;
  /** The operation returns pages: objects with a cursor, or lists with a `Link` header. */
  paged?: true | 'link';
  /** The operation returns one document, or its values as lines. */
  streamed?: true;
};
export type Operation = {
  role: Role;
  /** Name of the method. */
  name: string;
  summary: string;
  description: string;
  /** The description of the result. */
  returns: string;
  inputName: string;
  input?: Schema;
  isInputRequired: boolean;
  /** All schemas of the responses. */
  results: Schema[];
  /** The types of the result, each with what the input must prefer to get it. The last one is the usual type. */
  types: { prefer?: string; type: string }[];
  entry: Entry;
};
export type Role = (typeof ROLES)[number];

/** The groups of methods. A token is of one role, or `Acting-Role` names the role in use. */
export const ROLES = ['admin', 'clinic', 'careProvider', 'client'] as const;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const NDJSON = 'application/x-ndjson';
/** Headers that the client sends by itself. */
const AUTOMATIC_HEADERS = ['idempotency-key', 'authorization', 'acting-role', 'consistency-token'];
/** The end of an operation id if several roles have the operation. */
const ROLE_SUFFIX = /(As(Clinic|CareProvider|Client|Admin)|Of(Clinic|Client|Admin))$/;

/** The operations that need a token. The others are pages for browsers, calendar feeds and probes. */
export function listOperations(document: OpenApiDocument): Operation[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const security = operation?.security ?? document.security ?? [];
      if (!operation || security.length === 0) return [];
      const { parameters: common = [] } = item as unknown as { parameters?: Parameter[] };
      const parameters = [...common, ...(operation.parameters ?? [])];
      return [describe({ ...operation, parameters }, method.toUpperCase(), path, document)];
    }),
  );
  const names = operations.map(({ role, name }) => `${role}.${name}`);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`Two operations are called ${repeated}.`);
  return nameInputs(operations);
}

/** Operations of several roles share the type of their input where it is the same. */
function nameInputs(operations: Operation[]): Operation[] {
  return operations.map((operation) => {
    const { name, role, input } = operation;
    const isShared = operations.every((other) => other.name !== name || isEqual(other.input, input));
    return { ...operation, inputName: `${capitalize(name)}${isShared ? '' : `As${capitalize(role)}`}Input` };
  });
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const capitalize = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;

function describe(operation: DocumentedOperation, method: string, path: string, document: OpenApiDocument): Operation {
  const { operationId, summary = '', description = '' } = operation;
  const requestBody = operation.requestBody && resolve(operation.requestBody, document.components.requestBodies);
  const parameters = (operation.parameters ?? []).map((one) => resolve(one, document.components.parameters));
  const inputs = parameters.filter(({ name }) => !AUTOMATIC_HEADERS.includes(name.toLowerCase()));
  const [contentType] = Object.keys(requestBody?.content ?? {});
  const input = toInput(inputs, requestBody);
  const headers = inputs.filter((one) => one.in === 'header').map(({ name }) => [toMember(name), name.toLowerCase()]);
  const lists = inputs.filter((one) => one.schema.type === 'array' && one.explode === false).map(({ name }) => name);
  const { types, schemas, paged, isStreamed, returns } = describeResults(operation, parameters, document);
  return {
    ...{ role: findRole(operation, path), name: operationId.replace(ROLE_SUFFIX, ''), summary, description },
    ...{ inputName: '', isInputRequired: (input?.required ?? []).length > 0, results: schemas, types, returns },
    ...(input ? { input } : {}),
    entry: {
      ...{ method, path },
      ...(headers.length > 0 ? { headers: Object.fromEntries(headers) as Record<string, string> } : {}),
      ...(lists.length > 0 ? { lists } : {}),
      ...(contentType === undefined || contentType === 'application/json' ? {} : { contentType }),
      ...(parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key') ? { keyed: true } : {}),
      ...(input || headers.length > 0 ? {} : { noInput: true }),
      ...(paged ? { paged } : {}),
      ...(isStreamed ? { streamed: true } : {}),
    },
  };
}

function findRole(operation: DocumentedOperation, path: string): Role {
  const documented = operation['x-required-role']?.replace('_', '').toLowerCase();
  const segment = /^\/gateway\/(?:profile\/)?(\w+)\//.exec(path)?.[1]?.replace('caregiver', 'careprovider');
  const role = ROLES.find((one) => one.toLowerCase() === (documented ?? segment ?? 'clinic'));
  if (role === undefined) throw new Error(`${operation.operationId} has no known role.`);
  return role;
}

function resolve<T extends { $ref?: string }>(value: T, components: Record<string, T> = {}): T {
  const name = value.$ref?.split('/').at(-1);
  return name === undefined ? value : resolve(components[name]!, components);
}

/** `If-Match` becomes `ifMatch`. */
function toMember(name: string): string {
  return name.includes('-')
    ? name.toLowerCase().replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    : name;
}

/** All parameters and the body as the members of one object. `prefer` is left out, as it decides about the result. */
function toInput(parameters: Parameter[], body: DocumentedOperation['requestBody']): Schema | undefined {
  const shown = parameters.filter(({ name }) => name.toLowerCase() !== 'prefer');
  const members = shown.map((one) => [toMember(one.name), toMemberSchema(one)] as const);
  if (body) members.push(['body', toBodySchema(body.content)]);
  if (members.length === 0) return undefined;
  const required = shown.filter((one) => one.required).map(({ name }) => toMember(name));
  if (body?.required) required.push('body');
  return { type: 'object', properties: Object.fromEntries(members), required };
}

function toMemberSchema({ name, in: place, schema, description = schema.description }: Parameter): Schema {
  const shown =
    name.toLowerCase() === 'if-match' ? { $ref: '#/components/schemas/RecordVersion' } : toInputSchema(schema, place);
  return { ...shown, ...(description === undefined ? {} : { description }) };
}

/** A query parameter that is a list also takes one value, and a flag is a boolean. */
function toInputSchema(schema: Schema, place: string): Schema {
  if (schema.enum?.join() === 'true,false') return { type: 'boolean' };
  return place === 'query' && schema.type === 'array' && schema.items ? { anyOf: [schema.items, schema] } : schema;
}

function toBodySchema(content: Record<string, Media>): Schema {
  const [[type, { schema }]] = Object.entries(content) as [[string, Media]];
  return type === NDJSON ? { type: 'array', items: schema } : schema;
}
