import { SharedComponents } from './openapi-components.js';
import { simplifySchema } from './openapi-schemas.js';
import type { OpenApi, Operation, Parameter, PathItem, RequestBody, Response } from './openapi-types.js';

/*
 * Describes parameters, headers, request bodies and successful responses once, below `components`, if several
 * operations share them.
 */

/** Completes the parameters, and replaces repeated parts with references. Changes the document in place. */
export function shareRepeatedParts({ paths, components }: OpenApi): void {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  components.parameters = shareParameters(operations);
  components.headers = shareHeaders(operations);
  components.requestBodies = shareRequestBodies(operations);
  components.responses = { ...components.responses, ...shareResponses(operations) };
}

function shareParameters(operations: readonly Operation[]): Record<string, Parameter> {
  const shared = new SharedComponents<Parameter>('parameters');
  const all = operations.map((operation) => {
    const parameters = (operation.parameters ?? []) as Parameter[];
    parameters.forEach(completeParameter);
    for (const one of parameters) shared.count(one.name, one);
    return { operation, parameters };
  });
  for (const { operation, parameters } of all) {
    if (parameters.length === 0) delete operation.parameters;
    else operation.parameters = parameters.map((one) => shared.share(one.name, one));
  }
  return shared.components;
}

/**
 * Moves parameters that all operations of a path have in common to the path. Called last, because a path then has a
 * member that is no operation.
 */
export function moveParametersToPaths({ paths }: OpenApi): void {
  for (const [path, item] of Object.entries(paths)) {
    const [first, ...others] = Object.values(item);
    const all = others.map(({ parameters = [] }) => new Set(parameters.map(toKey)));
    const common = (first?.parameters ?? []).filter((one) => all.every((keys) => keys.has(toKey(one))));
    if (others.length > 0 && common.length > 0) paths[path] = moveToPath(item, common);
  }
}

const toKey = (parameter: object) => JSON.stringify(parameter);

function moveToPath(item: PathItem, common: NonNullable<Operation['parameters']>): PathItem {
  const moved = new Set(common.map(toKey));
  const operations = Object.entries(item).map(([method, { parameters = [], ...operation }]) => {
    const own = parameters.filter((one) => !moved.has(toKey(one)));
    return [method, { ...operation, ...(own.length > 0 && { parameters: own }) }] as const;
  });
  return { parameters: common, ...Object.fromEntries(operations) } as unknown as PathItem;
}

function shareHeaders(operations: readonly Operation[]): Record<string, object> {
  const shared = new SharedComponents<object>('headers');
  const all = operations.flatMap(({ responses }) => Object.values(responses) as Response[]);
  for (const { headers = {} } of all) for (const [name, header] of Object.entries(headers)) shared.count(name, header);
  for (const response of all) {
    const entries = Object.entries(response.headers ?? {});
    delete response.headers;
    if (entries.length > 0)
      response.headers = Object.fromEntries(entries.map(([name, header]) => [name, shared.share(name, header)]));
  }
  return shared.components;
}

/**
 * Moves request bodies that the operations of several roles have in common to `components`, named after their schemas.
 */
function shareRequestBodies(operations: readonly Operation[]): Record<string, RequestBody> {
  const shared = new SharedComponents<RequestBody>('requestBodies');
  const all = operations.flatMap((operation) => {
    const body = operation.requestBody as RequestBody | undefined;
    const name = Object.values(body?.content ?? {})[0]
      ?.schema?.$ref?.split('/')
      .at(-1);
    return body === undefined || name === undefined ? [] : [{ operation, body, name }];
  });
  for (const { name, body } of all) shared.count(name, body);
  for (const { operation, name, body } of all) operation.requestBody = shared.share(name, body);
  return shared.components;
}

/**
 * Moves repeated successful responses to `components`, named after their schema or status. Error responses are already
 * components.
 */
function shareResponses(operations: readonly Operation[]): Record<string, Response> {
  const shared = new SharedComponents<Response>('responses');
  const all = operations.flatMap(({ responses }) =>
    Object.entries(responses as Record<string, Response>).flatMap(([status, response]) => {
      const [media] = Object.values(response.content ?? {});
      if ('$ref' in response) return [];
      const name = media?.schema?.$ref?.split('/').at(-1) ?? `Status${status}`;
      return [{ responses, status, response, name }];
    }),
  );
  for (const { name, response } of all) shared.count(name, response);
  for (const { responses, status, response, name } of all) responses[status] = shared.share(name, response);
  return shared.components;
}

/**
 * Moves the example of an optional parameter into its description. Tools prefill forms with examples, and a prefilled
 * filter would make a list empty.
 */
function completeParameter({ schema, required, ...parameter }: Parameter, index: number, all: Parameter[]): void {
  simplifySchema(schema);
  const { example, description: meaning = '', ...rest } = schema;
  const { description = meaning } = parameter;
  const isShown = example === undefined || example === schema.default || schema.enum || schema.type === 'boolean';
  all[index] = {
    ...parameter,
    description: required || isShown ? description : `${description} For example \`${toText(example)}\`.`,
    ...(required && { required }),
    schema: required && example !== undefined ? { ...rest, example } : rest,
  };
}

const toText = (example: unknown) => (typeof example === 'string' ? example : [example].flat().join(','));
