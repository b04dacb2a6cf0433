/** One thing that is wrong with a request: a JSON pointer (RFC 6901) to it, and why. */
export type Violation = { pointer: string; detail: string };

/**
 * The catalogue of what can go wrong, in the words of the application. Services throw these;
 * only the problem filter knows which HTTP status each becomes (docs/decisions.md, "Errors").
 */
export abstract class ApplicationError extends Error {
  /** Stable, machine-readable: the last part of the problem's `type`. */
  abstract readonly code: string;
  readonly violations: readonly Violation[] = [];
  /** Data of Clients that the answer shows: it is recorded in the audit trail, and no cache may store it. */
  readonly clientData: object | undefined;
}

/** The request itself is malformed: 400. */
export class InvalidRequestError extends ApplicationError {
  readonly code = 'invalid-request';
  constructor(override readonly violations: readonly Violation[]) {
    super('The request is malformed.');
  }
}

/** No token, or one that does not hold: 401. */
export class UnauthenticatedError extends ApplicationError {
  readonly code = 'unauthenticated';
  /** @param reason for the log alone: what the caller reads is the same for every reason */
  constructor(readonly reason?: string) {
    super('A valid bearer token is required.');
  }
}

/** The caller's role or Clinic may not do this: 403. */
export class ForbiddenError extends ApplicationError {
  readonly code = 'forbidden';
  constructor(detail = 'The role of the token may not do this.') {
    super(detail);
  }
}

/** Not there, or not the caller's, which is the same answer: 404. */
export class NotFoundError extends ApplicationError {
  readonly code = 'not-found';
  constructor(detail = 'There is no such resource.') {
    super(detail);
  }
}

/** A secret link that opens nothing and never did: 404, and it counts as failed authentication. */
export class UnknownSecretLinkError extends NotFoundError {}

/** The request contradicts what is stored: 409. */
export class ConflictError extends ApplicationError {
  readonly code: string = 'conflict';
}

/** Two Sessions of one Care Provider or one Client that overlap, one of them just asked for. Instants are UTC. */
export type ScheduleConflict = {
  /** Place in its series of the Session that was asked for, from 1. */
  position: number;
  startsAt: string;
  endsAt: string;
  /** Whose time is asked for twice. */
  with: 'CARE_PROVIDER' | 'CLIENT' | 'BOTH';
  otherSessionId: number | null;
  otherStartsAt: string;
  otherEndsAt: string;
};

/** Those that are listed, and how many there are. */
export type ConflictList = { conflicts: ScheduleConflict[]; conflictCount: number };

/** Sessions overlap, and the caller has asked for none that do: 409 with the overlaps. */
export class ScheduleConflictError extends ConflictError {
  override readonly code = 'schedule-conflict';
  override readonly clientData: ConflictList;
  constructor(readonly overlaps: ConflictList) {
    super(`${overlaps.conflictCount} overlap(s) with Sessions that exist: nothing was changed.`);
    this.clientData = overlaps;
  }
}

/** The same request of the same caller is being answered already: 409. */
export class RequestInFlightError extends ConflictError {
  override readonly code = 'request-in-flight';
  constructor() {
    super('A request with this Idempotency-Key is being answered: ask again in a moment.');
  }
}

/** More than one request may carry: 413. */
export class ContentTooLargeError extends ApplicationError {
  readonly code = 'content-too-large';
}

/** A body of another media type than the operation reads: 415. */
export class UnsupportedMediaTypeError extends ApplicationError {
  readonly code = 'unsupported-media-type';
}

/** Well-formed, but it refers to something that the caller cannot use: 422. */
export class UnprocessableError extends ApplicationError {
  readonly code = 'unprocessable';
  constructor(override readonly violations: readonly Violation[]) {
    super('The request refers to something that cannot be used here.');
  }
}

/** A key that names one request was sent with another: 422. */
export class IdempotencyKeyReusedError extends ApplicationError {
  readonly code = 'idempotency-key-reused';
  override readonly violations = [{ pointer: '/idempotency-key', detail: 'was sent with another request before' }];
  constructor() {
    super('Another request was sent with this Idempotency-Key: take a new key for a new request.');
  }
}

/** More requests than a limit allows: 429, and how many seconds to wait. */
export class TooManyRequestsError extends ApplicationError {
  readonly code = 'too-many-requests';
  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests. `Retry-After` says how many seconds to wait.');
  }
}

/** The caller has seen another version of what they would change: 412. */
export class PreconditionFailedError extends ApplicationError {
  readonly code = 'precondition-failed';
  constructor() {
    super('The resource has changed since you read it: read it again.');
  }
}

/** A change that must say which version it is of does not: 428. */
export class PreconditionRequiredError extends ApplicationError {
  readonly code = 'precondition-required';
  constructor() {
    super('Send If-Match with the ETag of the version that you would change.');
  }
}

/** This instance is not to be sent requests now: 503. The detail names the checks that failed. */
export class NotReadyError extends ApplicationError {
  readonly code = 'not-ready';
}
