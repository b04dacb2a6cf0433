import { randomUUID } from 'node:crypto';
import type { ApiResponseNoStatusOptions } from '@nestjs/swagger';
import { z } from 'zod';

export const PROBLEM_JSON = 'application/problem+json';

const instant = (description: string) => z.string().meta({ description, example: '2027-03-28T08:30:00.000Z' });

/** One overlap, as dry runs, Sessions and problems list it. */
export const conflictSchema = z
  .object({
    position: z.int().meta({ description: 'Place in its series of the Session that was asked for.', example: 1 }),
    startsAt: instant('When that one starts, ISO 8601 in UTC.'),
    endsAt: instant('When that one ends, ISO 8601 in UTC.'),
    with: z
      .enum(['CARE_PROVIDER', 'CLIENT', 'BOTH'])
      .meta({ description: 'Whose time is asked for twice.', example: 'CARE_PROVIDER' }),
    otherSessionId: z.int().nullable().meta({
      description: 'The Session that it overlaps; null in a dry run for one that is not there yet.',
      example: 12,
      format: 'int64',
    }),
    otherStartsAt: instant('When the other one starts, ISO 8601 in UTC.'),
    otherEndsAt: instant('When the other one ends, ISO 8601 in UTC.'),
  })
  .meta({ id: 'ScheduleConflict', description: 'Two Sessions of one Care Provider or one Client that overlap.' });

/** More overlaps than these are not listed: whoever has so many does not read them. */
export const MAX_LISTED_CONFLICTS = 1_000;

export const conflictCountSchema = z.int().meta({
  description: `How many overlaps there are; \`conflicts\` lists the first ${MAX_LISTED_CONFLICTS} by their start.`,
  example: 1,
});

/** One thing that is wrong, on the wire. */
export const violationSchema = z.object({
  pointer: z.string().meta({ description: 'JSON pointer to the field.', example: '/weeks/2/assignments/0/bookId' }),
  detail: z.string().meta({ description: 'Why it is refused.', example: 'must be an integer' }),
});

/** RFC 9457 problem details: the shape of every error (docs/decisions.md, "Errors"). */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'Which kind of problem, as a URN.', example: 'urn:problem:invalid-request' }),
    title: z.string().meta({ description: 'The kind of problem in words.', example: 'Bad Request' }),
    status: z.int().min(400).max(599).meta({ description: 'The HTTP status.', example: 400 }),
    detail: z.string().meta({ description: 'What is wrong this time.', example: 'The request is malformed.' }),
    instance: z.string().meta({
      description: 'The id of the request, as in the logs.',
      example: 'urn:uuid:018f3b1e-7c1a-7000-8000-000000000000',
    }),
    errors: z.array(violationSchema).optional().meta({ description: 'On 400 and 422: each field that is wrong.' }),
    conflicts: z
      .array(conflictSchema)
      .optional()
      .meta({ description: 'On 409 of `conflicts=reject`: the overlaps of the whole series.' }),
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

/** A problem body, with the title and type that go with its status. */
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

/** The OpenAPI response of an error: always a Problem. */
export function createProblemResponse(description: string): ApiResponseNoStatusOptions {
  return { description, content: { [PROBLEM_JSON]: { schema: { $ref: '#/components/schemas/Problem' } } } };
}
