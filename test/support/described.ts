/* What the OpenAPI document says of requests: where ids stand in them, and examples to fill with other ids. */

type Schema = {
  $ref?: string;
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
};
type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
export type Operation = {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, Media> };
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Names of fields that refer to a record; `id` and `externalId` are of the record itself. */
const REFERENCE = /[a-z]Id(s|List)?$/;
/** The same field in another spelling: one of the two only. */
const ALIASES: Readonly<Record<string, string>> = { caregiverId: 'CareProviderId', CareProviderId: 'caregiverId' };

const isIndex = (part: string) => /^\d+$/.test(part);
/** The field at the end of a path into a body. */
export const fieldAt = (path: readonly string[]): string => path.findLast((part) => !isIndex(part))!;

/** The media type of the body of an operation, and its first example. */
export function exampleOf({ requestBody }: Operation): { type?: string; example?: unknown } {
  const [media] = Object.entries(requestBody?.content ?? {});
  if (media === undefined) return {};
  const [type, { example, examples }] = media;
  return { type, example: examples ? Object.values(examples)[0]!.value : example };
}

/** Paths to all fields of the body that refer to a record; of lists, to the first item. */
export function referencesOf({ requestBody }: Operation, { components }: Document): string[][] {
  const walk = (schema: Schema, at: string[]): string[][] => {
    if (schema.$ref) return walk(components.schemas[schema.$ref.split('/').at(-1)!]!, at);
    if (schema.allOf) return schema.allOf.flatMap((part) => walk(part, at));
    if (schema.items) return walk(schema.items, [...at, '0']);
    if (schema.properties)
      return Object.entries(schema.properties).flatMap(([name, property]) => walk(property, [...at, name]));
    const field = fieldAt(at);
    return REFERENCE.test(field) && field !== 'externalId' ? [at] : [];
  };
  return Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => walk(schema, []));
}

/** A copy in which every id is that of the given one; what is empty or "not given" stays so. */
export function withIds(body: unknown, ids: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(body)) return body.map((item) => withIds(item, ids));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]: [string, unknown]) => {
      if (!(key in ids) || !value) return [key, withIds(value, ids)];
      return [key, Array.isArray(value) ? [ids[key]] : ids[key]];
    }),
  );
}

/** A copy with a value at a path, and with all that leads there. */
export function withValue(body: unknown, [part, ...rest]: readonly string[], value: unknown): unknown {
  if (part === undefined) return value;
  if (isIndex(part)) return [withValue(Array.isArray(body) ? (body as unknown[])[0] : undefined, rest, value)];
  const fields = Object.entries((body ?? {}) as Record<string, unknown>).filter(([name]) => name !== ALIASES[part]);
  const existing = fields.find(([name]) => name === part)?.[1];
  return { ...Object.fromEntries(fields), [part]: withValue(existing, rest, value) };
}
