import { CONSISTENCY_TOKEN_HEADER } from '../../shared/http/index.js';
import { needsToken, type OpenApi, type Response } from './openapi-types.js';

/** Adds the `Consistency-Token` header to the responses to writes. Changes the document in place. */
export function documentConsistencyTokens({ paths }: OpenApi): void {
  for (const [method, operation] of Object.values(paths).flatMap((path) => Object.entries(path))) {
    if (method === 'get' || !needsToken(operation)) continue;
    for (const [status, response] of Object.entries(operation.responses as Record<string, Response>)) {
      if (status.startsWith('2'))
        response.headers = { ...response.headers, 'Consistency-Token': CONSISTENCY_TOKEN_HEADER };
    }
  }
}
