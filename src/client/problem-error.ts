import type { Problem, ScheduleConflict } from './generated.js';

/** The codes of problems: the last part of their `type`. */
export const PROBLEM_CODES = [
  'clinic-moved',
  'conflict',
  'content-too-large',
  'forbidden',
  'idempotency-key-reused',
  'internal-server-error',
  'invalid-request',
  'keys-unavailable',
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

/** An invalid field in a request. */
export type FieldError = {
  /** JSON pointer to the field (RFC 6901). */
  pointer: string;
  detail: string;
};

/**
 * The service has refused a request or failed to process it. Compare `type` or `status`; `detail` is text for people.
 * Use `isProblem(error, 'schedule-conflict')` to test for one kind of problem.
 */
export class ProblemError<Code extends ProblemCode = ProblemCode> extends Error {
  override readonly name = 'ProblemError';
  /** The problem type. It is `about:blank` if the response does not come from the service, for example from a proxy. */
  readonly type: `urn:problem:${Code}`;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The invalid fields; empty unless the status is 400 or 422. */
  readonly errors: readonly FieldError[];
  /** The ID of the request, which the service's logs also contain. */
  readonly requestId: string | undefined;
  /** The overlaps with other Sessions, at most 1,000. */
  readonly conflicts: Code extends 'schedule-conflict' ? readonly ScheduleConflict[] : undefined;
  /** The total number of overlaps. */
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

/** The union of `ProblemError` for every problem code. Comparing `type` narrows it to the error with that code. */
export type AnyProblemError = { [Code in ProblemCode]: ProblemError<Code> }[ProblemCode];

/** Whether an error is a problem reported by the service, optionally with the given code. */
export function isProblem(error: unknown): error is AnyProblemError;
export function isProblem<Code extends ProblemCode>(error: unknown, code: Code): error is ProblemError<Code>;
export function isProblem(error: unknown, code?: ProblemCode): boolean {
  return error instanceof ProblemError && (code === undefined || error.type === `urn:problem:${code}`);
}

/** No response was received, even after the allowed retries. `cause` is the error of the last attempt. */
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

/** No response was received within the timeout of one attempt. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** Creates the error for an unsuccessful response. */
export function toProblemError(response: Response, text: string, attempts: number): ProblemError {
  return new ProblemError(parseProblem(text) ?? describe(response), response.headers, attempts);
}

function parseProblem(text: string): Problem | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<Problem> | null;
    const { type, status, title, detail, instance, errors } = parsed ?? {};
    if (typeof type !== 'string' || typeof status !== 'number') return undefined;
    // A proxy can write null for an absent member, and `errors` in another form.
    return {
      ...{ ...parsed, type, status },
      ...{ title: asText(title) || 'Error', detail: asText(detail), instance: asText(instance) },
      errors: Array.isArray(errors) ? errors : [],
    };
  } catch {
    return undefined;
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

function describe({ status, statusText }: Response): Problem {
  const detail = 'The answer does not come from the service.';
  return { type: 'about:blank', title: statusText || 'Error', status, detail, instance: '' };
}
