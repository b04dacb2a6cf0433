import type { Problem, ScheduleConflict } from './generated.js';

/** The kinds of problems, as the last part of their `type`. */
export const PROBLEM_CODES = [
  'conflict',
  'content-too-large',
  'forbidden',
  'idempotency-key-reused',
  'internal-server-error',
  'invalid-request',
  'method-not-allowed',
  'not-acceptable',
  'not-found',
  'not-ready',
  'precondition-failed',
  'precondition-required',
  'request-header-fields-too-large',
  'request-in-flight',
  'request-timeout',
  'schedule-conflict',
  'service-unavailable',
  'sync-token-expired',
  'too-many-requests',
  'transaction-too-long',
  'unauthenticated',
  'unprocessable',
  'unsupported-media-type',
  'uri-too-long',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** A wrong field of a request. */
export type FieldError = {
  /** JSON pointer to the field (RFC 6901). */
  pointer: string;
  detail: string;
};

/**
 * The service has refused a request, or could not answer it. Decide by `type` or `status`; `detail` is text for people.
 * `isProblem(error, 'schedule-conflict')` tells the kinds apart.
 */
export class ProblemError<Code extends ProblemCode = ProblemCode> extends Error {
  override readonly name = 'ProblemError';
  /** The kind of problem. An answer that does not come from the service, such as a proxy's, has `about:blank`. */
  readonly type: `urn:problem:${Code}`;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The wrong fields; empty unless the status is 400 or 422. */
  readonly errors: readonly FieldError[];
  /** The id of the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** The overlaps with other Sessions, at most 1,000. */
  readonly conflicts: Code extends 'schedule-conflict' ? readonly ScheduleConflict[] : undefined;
  /** The number of all overlaps. */
  readonly conflictCount: Code extends 'schedule-conflict' ? number : undefined;

  constructor(
    problem: Problem,
    readonly headers: Headers,
    /** How often the request was sent. */
    readonly attempts: number,
  ) {
    super(`${problem.status} ${problem.title}: ${problem.detail}`);
    this.type = problem.type as this['type'];
    this.title = problem.title;
    this.status = problem.status;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.requestId = problem.instance.replace(/^urn:uuid:/, '') || undefined;
    this.conflicts = problem.conflicts as this['conflicts'];
    this.conflictCount = problem.conflictCount as this['conflictCount'];
  }
}

/** A `ProblemError` of any kind. A comparison of its `type` narrows it. */
export type AnyProblemError = { [Code in ProblemCode]: ProblemError<Code> }[ProblemCode];

/** Whether an error is a problem that the service has reported, of one kind or of any. */
export function isProblem(error: unknown): error is AnyProblemError;
export function isProblem<Code extends ProblemCode>(error: unknown, code: Code): error is ProblemError<Code>;
export function isProblem(error: unknown, code?: ProblemCode): boolean {
  return error instanceof ProblemError && (code === undefined || error.type === `urn:problem:${code}`);
}

/** No answer came, also after all retries that were allowed. `cause` is the error of the last attempt. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
  constructor(
    message: string,
    /** How often the request was sent. */
    readonly attempts: number,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** No answer came in the time for one attempt. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** Creates the error of a response that is not a success. */
export function toProblemError(response: Response, text: string, attempts: number): ProblemError {
  return new ProblemError(parseProblem(text) ?? describe(response), response.headers, attempts);
}

function parseProblem(text: string): Problem | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<Problem> | null;
    const { type, status, title = 'Error', detail = '', instance = '' } = parsed ?? {};
    if (typeof type !== 'string' || typeof status !== 'number') return undefined;
    return { ...parsed, type, status, title, detail, instance };
  } catch {
    return undefined;
  }
}

function describe({ status, statusText }: Response): Problem {
  const detail = 'The answer does not come from the service.';
  return { type: 'about:blank', title: statusText || 'Error', status, detail, instance: '' };
}
