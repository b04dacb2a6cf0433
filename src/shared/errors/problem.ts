import { randomUUID } from 'node:crypto';
import type { ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { z } from 'zod';

export const PROBLEM_JSON = 'application/problem+json';

const instant = (description: string) => z.string().meta({ description, example: '2027-03-28T08:30:00.000Z' });

/** A conflict in a Session, a problem or the response to a dry run. */
export const conflictSchema = z
  .object({
    position: z.int().meta({ description: 'Position of the requested Session in its series.', example: 1 }),
    startsAt: instant('Start of the requested Session, ISO 8601 in UTC.'),
    endsAt: instant('End of the requested Session, ISO 8601 in UTC.'),
    with: z
      .enum(['CARE_PROVIDER', 'CLIENT', 'BOTH'])
      .meta({ description: 'The participant of both Sessions.', example: 'CARE_PROVIDER' }),
    otherSessionId: z.int().nullable().meta({
      description: 'The other Session; null in a dry run if that Session does not exist yet.',
      example: 12,
      format: 'int64',
    }),
    otherStartsAt: instant('Start of the other Session, ISO 8601 in UTC.'),
    otherEndsAt: instant('End of the other Session, ISO 8601 in UTC.'),
  })
  .meta({ id: 'ScheduleConflict', description: 'Two Sessions of one Care Provider or one Client that overlap.' });

/** The maximum number of conflicts in one response. */
export const MAX_LISTED_CONFLICTS = 1_000;

export const conflictCountSchema = z.int().meta({
  description: `Number of conflicts; \`conflicts\` lists the first ${MAX_LISTED_CONFLICTS} by their start.`,
  example: 1,
});

/** An entry in a problem's `errors`. */
export const violationSchema = z.object({
  pointer: z.string().meta({ description: 'JSON pointer to the field.', example: '/weeks/2/assignments/0/bookId' }),
  detail: z.string().meta({ description: 'The reason.', example: 'must be an integer' }),
});

/** RFC 9457 problem details: the body of every error response (docs/decisions.md, "Errors"). */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'The kind of problem, as a URN.', example: 'urn:problem:invalid-request' }),
    title: z.string().meta({ description: 'The kind of problem in words.', example: 'Bad Request' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status.', example: 400 }),
    detail: z.string().meta({ description: 'The cause of this occurrence.', example: 'The request is malformed.' }),
    instance: z.string().meta({
      description: 'The request id, as in the logs.',
      example: 'urn:uuid:018f3b1e-7c1a-7000-8000-000000000000',
    }),
    errors: z.array(violationSchema).optional().meta({ description: 'On 400 and 422: each wrong field.' }),
    conflicts: z
      .array(conflictSchema)
      .optional()
      .meta({ description: 'On 409 of `conflicts=reject`: the conflicts of the whole series.' }),
    conflictCount: conflictCountSchema.optional(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457 problem details.' });

export type Problem = z.infer<typeof problemSchema>;

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

export type ProblemInput = Pick<Problem, 'status' | 'detail' | 'errors' | 'conflicts' | 'conflictCount'> & {
  code?: string;
  requestId?: string;
};

/** Creates the body of an error response. The status determines the title, and also the type unless `code` is given. */
export function createProblem({ status, detail, code, requestId = randomUUID(), ...more }: ProblemInput): Problem {
  const { errors, conflicts, conflictCount } = more;
  const title = TITLES[status] ?? 'Error';
  return {
    type: `urn:problem:${code ?? CODES[status] ?? title.toLowerCase().replaceAll(' ', '-')}`,
    title,
    status,
    detail,
    instance: `urn:uuid:${requestId}`,
    ...(errors?.length ? { errors } : {}),
    ...(conflicts ? { conflicts, conflictCount } : {}),
  };
}

/** Creates the OpenAPI description of an error response. */
export function createProblemResponse(description: string): ApiResponseNoStatusOptions {
  return { description, content: { [PROBLEM_JSON]: { schema: { $ref: '#/components/schemas/Problem' } } } };
}
