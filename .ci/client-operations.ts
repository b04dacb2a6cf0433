/* Reads from the OpenAPI document what the client needs to know of each operation. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  additionalProperties?: unknown;
};
type Media = { schema: Schema };
type Parameter = {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema & { example?: unknown };
  explode?: boolean;
};
type Response = {
  $ref?: string;
  content?: Record<string, Media>;
  headers?: Record<string, unknown>;
  'x-preference'?: string;
};
type DocumentedOperation = {
  operationId: string;
  summary?: string;
  description?: string;
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
  'x-roles'?: string[];
};
export type OpenApiDocument = {
  openapi: string;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters?: Record<string, Parameter>;
    responses?: Record<string, Response>;
  };
};

/** An entry of the client's table. Absent members have the usual value. */
export type Entry = {
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
  /** The operation returns pages. */
  paged?: true;
};
export type Operation = {
  id: string;
  summary: string;
  description: string;
  roles: string[];
  inputName: string;
  input?: Schema;
  isInputRequired: boolean;
  results: { status: string; mediaType: string; schema: Schema }[];
  type: string;
  entry: Entry;
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const NDJSON = 'application/x-ndjson';
/** Headers that the client sends by itself, or not at all: with `Prefer`, the type of an answer would depend on the call. */
const AUTOMATIC_HEADERS = ['idempotency-key', 'authorization', 'acting-role', 'prefer'];

/** The operations that need a token. The others are pages for browsers, calendar feeds and probes. */
export function listOperations(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation?.security?.length ? [describe(operation, method.toUpperCase(), path, document)] : [];
    }),
  );
}

function describe(operation: DocumentedOperation, method: string, path: string, document: OpenApiDocument): Operation {
  const { operationId: id, summary = '', description = '', requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((one) => resolve(one, document.components.parameters));
  const inputs = parameters.filter(({ name }) => !AUTOMATIC_HEADERS.includes(name.toLowerCase()));
  const [contentType] = Object.keys(requestBody?.content ?? {});
  const input = toInput(inputs, requestBody);
  const results = listResults(operation, document);
  const headers = inputs.filter((one) => one.in === 'header').map(({ name }) => [toMember(name), name.toLowerCase()]);
  const lists = inputs.filter((one) => one.schema.type === 'array' && one.explode === false).map(({ name }) => name);
  const itemType = findItemType(parameters, results, document);
  return {
    ...{ id, summary, description, roles: operation['x-roles'] ?? [], results },
    inputName: `${id[0]!.toUpperCase()}${id.slice(1)}Input`,
    ...(input ? { input } : {}),
    isInputRequired: (input?.required ?? []).length > 0,
    type: toReturnType(operation, results, itemType),
    entry: {
      ...{ method, path },
      ...(headers.length > 0 ? { headers: Object.fromEntries(headers) as Record<string, string> } : {}),
      ...(lists.length > 0 ? { lists } : {}),
      ...(contentType === undefined || contentType === 'application/json' ? {} : { contentType }),
      ...(parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key') ? { keyed: true } : {}),
      ...(input ? {} : { noInput: true }),
      ...(itemType === undefined ? {} : { paged: true }),
    },
  };
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

/** All parameters and the body as the members of one object. */
function toInput(parameters: Parameter[], body: DocumentedOperation['requestBody']): Schema | undefined {
  const members = parameters.map((one) => [toMember(one.name), toMemberSchema(one)] as const);
  if (body) members.push(['body', toBodySchema(body.content)]);
  if (members.length === 0) return undefined;
  const required = parameters.filter((one) => one.required).map(({ name }) => toMember(name));
  if (body?.required) required.push('body');
  return { type: 'object', properties: Object.fromEntries(members), required };
}

function toMemberSchema({ name, schema, description = schema.description }: Parameter): Schema {
  const isVersion = name.toLowerCase() === 'if-match';
  const isFlag = schema.enum?.join() === 'true,false';
  const shown: Schema = isVersion ? { $ref: '#/components/schemas/Version' } : isFlag ? { type: 'boolean' } : schema;
  return { ...shown, ...(description === undefined ? {} : { description }) };
}

function toBodySchema(content: Record<string, Media>): Schema {
  const [[type, { schema }]] = Object.entries(content) as [[string, Media]];
  return type === NDJSON ? { type: 'array', items: schema } : schema;
}

function listResults({ responses }: DocumentedOperation, { components }: OpenApiDocument): Operation['results'] {
  return Object.entries(responses).flatMap(([status, response]) => {
    if (!status.startsWith('2')) return [];
    if (response['x-preference'] !== undefined) return [];
    const { content = {} } = resolve(response, components.responses);
    return Object.entries(content).map(([mediaType, { schema }]) => ({ status, mediaType, schema }));
  });
}

/** The type of the items, if the operation returns pages with a cursor. */
function findItemType(
  parameters: Parameter[],
  [result]: Operation['results'],
  { components }: OpenApiDocument,
): string | undefined {
  if (result?.mediaType !== 'application/json' || !parameters.some(({ name }) => name === 'cursor')) return undefined;
  const { properties = {} } = resolve(result.schema, components.schemas);
  const item = properties['items']?.items?.$ref?.split('/').at(-1);
  return properties['nextCursor'] ? item : undefined;
}

function toReturnType({ responses }: DocumentedOperation, results: Operation['results'], item?: string): string {
  const types = results.map(({ mediaType, schema }) => {
    const name = schema.$ref?.split('/').at(-1);
    if (mediaType === NDJSON) return `${name ?? 'unknown'}[]`;
    return mediaType.startsWith('text/') ? 'string' : (name ?? 'unknown');
  });
  for (const [status, { content, headers = {}, ...response }] of Object.entries(responses)) {
    if (content !== undefined || response['x-preference'] !== undefined) continue;
    if (status === '304') types.push('undefined');
    else if (status.startsWith('2')) types.push('Location' in headers ? 'Created' : 'undefined');
  }
  const union = [...new Set(types)].join(' | ');
  if (item !== undefined) return `ListCall<${union}, ${item}>`;
  return `ApiCall<${union === 'undefined' ? 'void' : union}>`;
}
