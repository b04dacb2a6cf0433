import { needsToken, type OpenApi, type Operation, type Response } from './openapi-types.js';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

const PARAMETER = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'Makes retries safe: for 24 hours, a retry gets the first response and is not executed again, unless the first request has ' +
    'failed. Use a new UUID for each request. Keys are per caller. 400: the key is malformed. 409 ' +
    '(`urn:problem:request-in-flight`): the first request is still being answered, retry in a moment. 422 ' +
    '(`urn:problem:idempotency-key-reused`): another request had this key.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
};
const REPLAYED_HEADER = {
  description: 'Present if this is the response of an earlier request with the same key, which was not executed again.',
  schema: { type: 'string', enum: ['true'], example: 'true' },
};

/** Adds the `Idempotency-Key` header to each POST that needs a token. Changes the document in place. */
export function documentIdempotencyKeys({ paths }: OpenApi): void {
  for (const { post } of Object.values(paths)) if (post !== undefined && needsToken(post)) documentKey(post);
}

function documentKey(operation: Operation): void {
  operation.parameters = [...(operation.parameters ?? []), PARAMETER];
  for (const [status, response] of Object.entries(operation.responses as Record<string, Response>)) {
    if (status.startsWith('2')) response.headers = { ...response.headers, 'Idempotent-Replayed': REPLAYED_HEADER };
  }
}
