import type { Aliases } from './alias.js';

/** An example of a request body for the OpenAPI document. */
export type RequestExample = { summary: string; value: unknown };

/**
 * Keys in the metadata of a request schema that JSON Schema does not have. `completeDocument` (src/ops) converts them to
 * properties and examples of the OpenAPI document.
 */
export const ALIASES_KEY = 'x-second-spellings';
export const REQUEST_EXAMPLES_KEY = 'x-request-examples';

/** Metadata of a request schema: second spellings of fields, and examples. */
export function requestMeta(secondSpellings: Aliases, examples: Readonly<Record<string, RequestExample>>) {
  return { [ALIASES_KEY]: secondSpellings, [REQUEST_EXAMPLES_KEY]: examples };
}
