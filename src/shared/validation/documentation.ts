import type { Aliases } from './alias.js';

/** An example of a whole request, under a name of its own. */
export type RequestExample = { summary: string; value: unknown };

/**
 * What a schema of a request tells beyond JSON Schema. The keys travel in the meta of the schema; the
 * OpenAPI document (src/ops) turns them into properties and into examples of the operation.
 */
export const ALIASES_KEY = 'x-second-spellings';
export const REQUEST_EXAMPLES_KEY = 'x-request-examples';

/** Meta of a request schema: fields that may be spelt in two ways, and whole requests to try. */
export function requestMeta(secondSpellings: Aliases, examples: Readonly<Record<string, RequestExample>>) {
  return { [ALIASES_KEY]: secondSpellings, [REQUEST_EXAMPLES_KEY]: examples };
}
