import { randomUUID } from 'node:crypto';
import type { ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { z } from 'zod';

export const PROBLEM_JSON_MEDIA_TYPE = 'application/problem+json';

/** An entry in a problem's `errors`. */
export const violationSchema = z
  .object({
    pointer: z.string().meta({ description: 'JSON pointer to the field.', example: '/weeks/2/assignments/0/bookId' }),
    detail: z.string().meta({ description: 'The reason.', example: 'must be an integer' }),
  })
  .meta({ id: 'Violation', description: 'An invalid field of a request.' });

/** The members of every problem (docs/decisions.md, "Errors"). Features add further members. */
const problemShape = {
  type: z.string().meta({ description: 'The kind of problem, as a URN.', example: 'urn:problem:invalid-request' }),
  title: z.string().meta({ description: 'The kind of problem in words.', example: 'Bad Request' }),
  status: z.int().min(400).max(599).meta({ description: 'The HTTP status.', example: 400 }),
  detail: z.string().meta({ description: 'The cause of this occurrence.', example: 'The request is malformed.' }),
  instance: z.string().meta({
    description: 'The request id, as in the logs.',
    example: 'urn:uuid:018f3b1e-7c1a-7000-8000-000000000000',
  }),
  errors: z.array(violationSchema).optional().meta({ description: 'On 400 and 422: each invalid field.' }),
};

const problemBase = z.object(problemShape);
export type Problem = z.output<typeof problemBase>;

/**
 * Creates the schema for the body of all error responses (RFC 9457).
 *
 * @param extensions extension members, which only some kinds of problems have
 */
export function createProblemSchema(extensions: z.ZodRawShape) {
  return problemBase.extend(extensions).meta({ id: 'Problem', description: 'RFC 9457 problem details.' });
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid-request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  422: 'unprocessable',
};

export type ProblemInput = Pick<Problem, 'status' | 'detail' | 'errors'> & {
  code?: string | undefined;
  requestId?: string | undefined;
  /** Extension members, which only some kinds of problems have. */
  extensions?: object | undefined;
};

/** Creates the body of an error response. The status determines the title, and also the type unless `code` is given. */
export function createProblem(input: ProblemInput): Problem {
  const { status, detail, code, errors, extensions, requestId = randomUUID() } = input;
  const title = TITLES[status] ?? 'Error';
  return {
    type: `urn:problem:${code ?? CODES[status] ?? title.toLowerCase().replaceAll(' ', '-')}`,
    title,
    status,
    detail,
    instance: `urn:uuid:${requestId}`,
    ...(errors?.length ? { errors } : {}),
    ...extensions,
  };
}

/** Creates the OpenAPI description of an error response. */
export function createProblemResponse(description: string): ApiResponseNoStatusOptions {
  return { description, content: { [PROBLEM_JSON_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } } };
}
