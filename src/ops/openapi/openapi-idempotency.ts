import type { OpenAPIObject } from '@nestjs/swagger';
import { createProblemResponse } from '../../shared/errors/index.js';

type Response = { description: string; headers?: Record<string, unknown>; content?: unknown };
type Operation = {
  security?: unknown[];
  parameters?: object[];
  responses: Record<string, Response>;
};

const PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names this request, so that sending it again is safe: for 24 hours it is answered with the first answer, without ' +
    'being done again. A new UUID for each request is a good key. Keys are per caller. What failed is done again.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[ -~]+$',
    example: '7c5bb0f7-3b0c-4b64-8a5a-0d7c2f1f6a11',
  },
};
const REPLAYED_HEADER = {
  description: 'Of an answer that was given before to the same `Idempotency-Key`: nothing was done again.',
  schema: { type: 'string', enum: ['true'], example: 'true' },
};
/** Errors that an idempotency key can cause. */
const ERROR_DESCRIPTIONS = {
  400: 'The `Idempotency-Key` is malformed. Nothing is stored.',
  409: 'A request with the same `Idempotency-Key` is being answered (`urn:problem:request-in-flight`): ask again in a moment.',
  422: 'The `Idempotency-Key` was sent with another request before (`urn:problem:idempotency-key-reused`). Nothing is stored.',
};

/** Adds the `Idempotency-Key` header and its errors to each POST that needs a token. Changes the document in place. */
export function documentIdempotency(document: OpenAPIObject): void {
  for (const { post } of Object.values(document.paths)) {
    const operation = post as Operation | undefined;
    if (operation?.security !== undefined) documentKey(operation);
  }
}

function documentKey(operation: Operation): void {
  operation.parameters = [...(operation.parameters ?? []), PARAMETER];
  const { responses } = operation;
  for (const [status, response] of Object.entries(responses)) {
    if (status.startsWith('2')) response.headers = { ...response.headers, 'Idempotent-Replayed': REPLAYED_HEADER };
  }
  for (const [status, description] of Object.entries(ERROR_DESCRIPTIONS)) {
    const existing = responses[status]?.description;
    responses[status] = createProblemResponse([existing, description].filter(Boolean).join(' Or: ')) as Response;
  }
}
