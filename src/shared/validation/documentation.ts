import type { FieldAliases } from './alias.js';

/** A request body example for the OpenAPI document. */
export type RequestExample = { summary: string; value: unknown };

/**
 * Keys of schema metadata that JSON Schema does not define. `src/ops/openapi` converts the metadata to properties and
 * examples in the OpenAPI document.
 */
export const ALIASES_KEY = 'x-second-spellings';
export const REQUEST_EXAMPLES_KEY = 'x-request-examples';

/** Creates the metadata of a request schema: the second spellings of its fields, and examples. */
export function requestMeta(secondSpellings: FieldAliases, examples: Readonly<Record<string, RequestExample>>) {
  return { [ALIASES_KEY]: secondSpellings, [REQUEST_EXAMPLES_KEY]: examples };
}
