import { createProblem, createProblemResponse } from '../../shared/errors/index.js';
import { ERROR_DESCRIPTIONS, type ErrorStatus } from '../../shared/http/index.js';
import { IDEMPOTENCY_KEY } from './openapi-idempotency.js';
import type { OpenApi, Operation, Response } from './openapi-types.js';

/* Most error responses are the same for all operations, so each is described once, below `components/responses`. */

/**
 * Statuses of errors that follow from the parts of an operation: its token, path, parameters and body. Operations refer
 * to all of them with the single response `default`.
 */
const GENERAL = [400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 428, 429, 500, 503] as const;

/** Errors that follow from an `Idempotency-Key`. An operation without a key lists them itself. */
const OF_KEYS: Partial<Record<ErrorStatus, string>> = { 409: 'Conflict', 422: 'Unprocessable' };

/** Replaces the error responses of all operations with references to components. Changes the document in place. */
export function shareErrorResponses({ paths, components }: OpenApi): void {
  const used = new Set<string>();
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const hasKey = takesKey(operation);
    const shared = Object.entries(operation.responses).flatMap(([status, response]) => {
      if (!isGeneral(status, response as Response)) return [[status, response] as const];
      const name = OF_KEYS[Number(status) as ErrorStatus];
      if (name === undefined || hasKey) return [];
      used.add(status);
      return [[status, { $ref: `#/components/responses/${name}` }] as const];
    });
    operation.responses = { ...Object.fromEntries(shared), default: { $ref: '#/components/responses/Error' } };
  }
  components.responses = Object.fromEntries(
    [...used].map((status) => [
      OF_KEYS[Number(status) as ErrorStatus]!,
      createErrorResponse(Number(status) as ErrorStatus),
    ]),
  );
  components.responses['Error'] = createGeneralResponse();
}

function isGeneral(status: string, { description }: Response): boolean {
  const general = GENERAL.find((one) => String(one) === status);
  return general !== undefined && description === ERROR_DESCRIPTIONS[general];
}

function createGeneralResponse(): Response {
  const descriptions = GENERAL.map((status) => `- ${status}: ${ERROR_DESCRIPTIONS[status]}`);
  const description = [
    'Any other error: 401 and 403 if a token is needed, 404 if the request names a record, 409 and 422 for an operation with an `Idempotency-Key`, 409 for a change of a Clinic that has moved, 413 and 415 with a body, 410 with a `syncToken`, 412 and 428 with `If-Match`, the others always.',
    ...descriptions,
  ].join('\n');
  return { ...createErrorResponse(429), description, headers: GENERAL_HEADERS };
}

function takesKey({ parameters = [] }: Operation): boolean {
  return parameters.some((one) => 'name' in one && one.name === IDEMPOTENCY_KEY);
}

function createErrorResponse(status: ErrorStatus): Response {
  const description = ERROR_DESCRIPTIONS[status];
  const response = createProblemResponse(description) as Response;
  const [media] = Object.values(response.content!);
  media!.example = createProblem({
    status,
    detail: description,
    requestId: '018f3b1e-7c1a-7000-8000-000000000000',
    ...(status === 400 ? { errors: [{ pointer: '/name', detail: 'must not be empty' }] } : {}),
    ...(status === 422 ? { errors: [{ pointer: '/weeks/2/assignments/0/bookId', detail: UNUSABLE_BOOK }] } : {}),
  });
  return response;
}

const UNUSABLE_BOOK = 'must be a Book that the Clinic may use';
const GENERAL_HEADERS = {
  ...toHeader('WWW-Authenticate', '401: how to authenticate.', 'Bearer error="invalid_token"'),
  ...toHeader('Retry-After', '429, 503: seconds after which to try again.', '30'),
  ...toHeader(
    'RateLimit-Policy',
    '429: the limits that apply, requests (q) in a window of seconds (w).',
    '"caller";q=600;w=60',
  ),
  ...toHeader(
    'RateLimit',
    '429: requests that are left (r), and seconds until there are more (t).',
    '"caller";r=0;t=30',
  ),
};

function toHeader(name: string, description: string, example: string) {
  return { [name]: { description, schema: { type: 'string', example } } };
}
