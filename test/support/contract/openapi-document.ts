/* Reads the OpenAPI document: the examples of requests, and the fields and parameters that contain IDs. */

export type Schema = {
  $ref?: string;
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  /** Set by `resolveSchema`; not part of the document. */
  nullable?: boolean;
  example?: unknown;
};
type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
export type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
export type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media>; headers?: object }>;
  /** The schema of the response with `Prefer: return=representation`, if it differs from the usual one. */
  'x-representation'?: { $ref: string };
};
export type OpenApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Matches names of fields that refer to a record. */
const REFERENCE = /[a-z]Id(s|List)?$/;
/** Matches examples of values that refer to a record, such as `client/12`. */
const KIND_AND_ID = /^[a-z-]+\/\d+$/;
/** Fields that have two names, each with the other name. A request may contain only one of them. */
export const FIELD_ALIASES: Readonly<Record<string, string>> = {
  ...{ caregiverId: 'CareProviderId', CareProviderId: 'caregiverId', planName: 'name', name: 'planName' },
  ...{ createdDate: 'createDate', createDate: 'createdDate', title: 'Title', Title: 'title' },
};

const isIndex = (part: string) => /^\d+$/.test(part);
/** Returns the name of the field at the end of a path into a body. Skips indexes of lists. */
export const toFieldName = (path: readonly string[]): string => path.findLast((part) => !isIndex(part))!;

/** Whether a call of the operation without `If-Match` is refused. */
export const requiresIfMatch = ({ parameters = [] }: Operation): boolean =>
  parameters.some(({ name, required }) => name === 'if-match' && required === true);

/** Returns the media type of an operation's body, and its first example. */
export function findExample({ requestBody }: Operation): { type?: string; example?: unknown } {
  const [media] = Object.entries(requestBody?.content ?? {});
  if (media === undefined) return {};
  const [type, { example, examples }] = media;
  return { type, example: examples ? Object.values(examples)[0]!.value : example };
}

/** Resolves `$ref`, merges `allOf`, and replaces the type `null` with `nullable`. */
export function resolveSchema(schema: Schema, document: OpenApiDocument): Schema {
  if (schema.$ref) return resolveSchema(document.components.schemas[schema.$ref.split('/').at(-1)!]!, document);
  const { anyOf, type } = schema;
  const other = anyOf?.filter((part) => part.type !== 'null');
  if (other?.length === 1) return { ...resolveSchema(other[0]!, document), nullable: other.length < anyOf!.length };
  if (Array.isArray(type)) {
    const [only, ...more] = type.filter((one) => one !== 'null');
    if (more.length > 0) throw new Error(`a schema of several types: ${type.join(', ')}`);
    const values = schema.enum?.filter((value) => value !== null);
    return { ...schema, type: only!, nullable: type.includes('null'), ...(values && { enum: values }) };
  }
  if (!schema.allOf) return schema;
  const parts = schema.allOf.map((part) => resolveSchema(part, document));
  return {
    ...parts[0],
    properties: Object.assign({}, ...parts.map((part) => part.properties)) as Schema['properties'],
  };
}

/** Returns the paths and schemas of all leaf fields in the body. For a list, only the first item is included. */
export function listBodyFields(
  { requestBody }: Operation,
  document: OpenApiDocument,
): { at: string[]; schema: Schema }[] {
  const walk = (reference: Schema, at: string[]): { at: string[]; schema: Schema }[] => {
    const schema = resolveSchema(reference, document);
    if (schema.items) return walk(schema.items, [...at, '0']);
    if (schema.properties)
      return Object.entries(schema.properties).flatMap(([name, property]) => walk(property, [...at, name]));
    return [{ at, schema }];
  };
  return Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => walk(schema, []));
}

/** Returns the paths of all fields in the body that refer to a record. */
export function listBodyReferences(operation: Operation, document: OpenApiDocument): string[][] {
  return listBodyFields(operation, document)
    .filter(({ at, schema }) => isReference(toFieldName(at), schema))
    .map(({ at }) => at);
}

/** Returns the names of the query parameters that refer to a record. */
export function listQueryReferences({ parameters = [] }: Operation): string[] {
  return parameters.filter((one) => one.in === 'query' && isReference(one.name, one.schema)).map(({ name }) => name);
}

/**
 * Whether a field refers to a record, judged by its name, its format or its example. `id` and `externalId` identify the
 * record itself and do not count.
 */
function isReference(name: string, { format = '', example }: Schema): boolean {
  if (name === 'id' || name === 'externalId') return false;
  return REFERENCE.test(name) || ['int64', 'uuid'].includes(format) || KIND_AND_ID.test(String(example));
}

/** Returns a copy of a body in which all IDs are replaced. Empty and absent values are kept. */
export function replaceIds(body: unknown, ids: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(body)) return body.map((item) => replaceIds(item, ids));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]: [string, unknown]) => {
      if (!(key in ids) || !value) return [key, replaceIds(value, ids)];
      return [key, Array.isArray(value) ? [ids[key]] : ids[key]];
    }),
  );
}

/** Returns a copy of a body with a value set at a path. Creates missing objects and lists along the path. */
export function setValueAtPath(body: unknown, [part, ...rest]: readonly string[], value: unknown): unknown {
  if (part === undefined) return value;
  if (isIndex(part)) return [setValueAtPath(Array.isArray(body) ? (body as unknown[])[0] : undefined, rest, value)];
  const fields = Object.entries((body ?? {}) as Record<string, unknown>).filter(
    ([name]) => name !== FIELD_ALIASES[part],
  );
  const existing = fields.find(([name]) => name === part)?.[1];
  return { ...Object.fromEntries(fields), [part]: setValueAtPath(existing, rest, value) };
}
