/* The parts of an OpenAPI document that the comparison reads. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};
export type Content = Record<string, { schema?: Schema }>;
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema };
type Body = { $ref?: string; required?: boolean; content: Content };
type Response = { $ref?: string; content?: Content; headers?: Record<string, unknown> };
export type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Response>;
  security?: unknown[];
  'x-required-role'?: string;
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components?: Record<string, Record<string, object>>;
};

/** Follows references until there is none. */
export function resolve<T extends { $ref?: string }>(value: T, document: Document): T {
  const [, , section = '', name = ''] = value.$ref?.split('/') ?? [];
  if (value.$ref === undefined) return value;
  const target = document.components?.[section]?.[name];
  if (target === undefined) throw new Error(`${value.$ref} does not exist`);
  return resolve(target as T, document);
}

/** Returns the operations by method and path. Each has the parameters of its path, too. */
export function listOperations(document: Document): Map<string, Operation> {
  const operations = Object.entries(document.paths).flatMap(([path, item]) => {
    const { parameters: common = [] } = item as unknown as { parameters?: Parameter[] };
    return Object.entries(item)
      .filter(([member]) => member !== 'parameters')
      .map(([method, operation]) => {
        const parameters = [...common, ...(operation.parameters ?? [])];
        return [`${method.toUpperCase()} ${path}`, { ...operation, parameters }] as const;
      });
  });
  return new Map(operations);
}
