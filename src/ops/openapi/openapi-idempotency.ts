import { needsToken, type OpenApi, type Operation, type Response } from './openapi-types.js';

const PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names this request, so that sending it again is safe: for 24 hours it is answered with the first answer, without ' +
    'being done again. A new UUID for each request is a good key. Keys are per caller. What failed is done again. 400: the ' +
    'key is malformed. 409 (`urn:problem:request-in-flight`): the first request is still being answered, ask again in a ' +
    'moment. 422 (`urn:problem:idempotency-key-reused`): the key was sent with another request before.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
};
const REPLAYED_HEADER = {
  description: 'Of an answer that was given before to the same `Idempotency-Key`: nothing was done again.',
  schema: { type: 'string', enum: ['true'], example: 'true' },
};

/** Adds the `Idempotency-Key` header to each POST that needs a token. Changes the document in place. */
export function documentIdempotency({ paths }: OpenApi): void {
  for (const { post } of Object.values(paths)) if (post !== undefined && needsToken(post)) documentKey(post);
}

function documentKey(operation: Operation): void {
  operation.parameters = [...(operation.parameters ?? []), PARAMETER];
  for (const [status, response] of Object.entries(operation.responses as Record<string, Response>)) {
    if (status.startsWith('2')) response.headers = { ...response.headers, 'Idempotent-Replayed': REPLAYED_HEADER };
  }
}
