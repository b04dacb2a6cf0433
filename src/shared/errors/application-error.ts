/** An error in a request: a JSON pointer (RFC 6901) to the field, and the reason. */
export type Violation = { pointer: string; detail: string };

/**
 * Base class for errors that services throw. Only the problem filter maps them to an HTTP status (docs/decisions.md,
 * "Errors").
 */
export abstract class ApplicationError extends Error {
  /** The last part of the problem's `type`. Must remain stable, because API clients compare it. */
  abstract readonly code: string;
  readonly violations: readonly Violation[] = [];
  /**
   * Extension members (RFC 9457) of the problem that contain client data. If present, an audit entry is written, and
   * the response must not be cached.
   */
  readonly clientData: object | undefined;
}

/** 400: the request is malformed. */
export class InvalidRequestError extends ApplicationError {
  readonly code = 'invalid-request';
  constructor(override readonly violations: readonly Violation[]) {
    super('The request is malformed.');
  }
}

/** 401: the token is missing or invalid. */
export class UnauthenticatedError extends ApplicationError {
  readonly code = 'unauthenticated';
  /** @param reason written to the log; the response is the same for every reason */
  constructor(readonly reason?: string) {
    super('A valid bearer token is required.');
  }
}

/** 403: the caller's role does not allow the operation. */
export class ForbiddenError extends ApplicationError {
  readonly code = 'forbidden';
  constructor(detail = 'The role of the token may not do this.') {
    super(detail);
  }
}

/** 404: the resource does not exist, or belongs to another Clinic or person. */
export class NotFoundError extends ApplicationError {
  readonly code = 'not-found';
  constructor(detail = 'There is no such resource.') {
    super(detail);
  }
}

/** 404: the secret of a link is unknown. Counts as a failed authentication. */
export class UnknownSecretLinkError extends NotFoundError {}

/** 409: the request conflicts with the stored state. */
export class ConflictError extends ApplicationError {
  readonly code: string = 'conflict';
}

/** 413: the request is larger than allowed. */
export class ContentTooLargeError extends ApplicationError {
  readonly code = 'content-too-large';
}

/** Maximum number of errors in a response. */
export const MAX_VIOLATIONS = 100;

/** 422: the request is well-formed, but refers to a record that the caller cannot use. */
export class UnprocessableError extends ApplicationError {
  readonly code: string = 'unprocessable';
  override readonly violations: readonly Violation[];

  /** @param violations the response contains the first 100 */
  constructor(violations: readonly Violation[], detail = 'The request refers to something that cannot be used here.') {
    super(detail);
    this.violations = violations.slice(0, MAX_VIOLATIONS);
  }
}

/** 429: a rate limit is exceeded. */
export class TooManyRequestsError extends ApplicationError {
  readonly code = 'too-many-requests';
  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests. `Retry-After` says how many seconds to wait.');
  }
}

/** 410: a sync token is too old, or was issued to another caller. The consumer must start again with `sync=true`. */
export class SyncTokenExpiredError extends ApplicationError {
  readonly code = 'sync-token-expired';
  constructor() {
    super('The sync token is no longer valid. Start again with `sync=true`, and replace everything that you hold.');
  }
}

/** 412: the resource does not have the version that the caller has read, or exists although the caller would create it. */
export class PreconditionFailedError extends ApplicationError {
  readonly code = 'precondition-failed';
  constructor(detail = 'The resource does not have the version in If-Match: read it again.') {
    super(detail);
  }
}

/** 428: the change requires the `If-Match` header. */
export class PreconditionRequiredError extends ApplicationError {
  readonly code = 'precondition-required';
  constructor() {
    super('Send If-Match with the ETag of the version that you would change.');
  }
}

/** 503: the transaction of a request took too long, and was rolled back. */
export class TransactionTooLongError extends ApplicationError {
  readonly code = 'transaction-too-long';
  constructor() {
    super('The request took too long, and nothing was changed. Try again.');
  }
}

/** 503: a data key cannot be read, created or unwrapped now. Nothing was changed. */
export class KeysUnavailableError extends ApplicationError {
  readonly code = 'keys-unavailable';
  constructor() {
    super('The service cannot encrypt or decrypt data right now. Try again.');
  }
}

/** 503: the instance is not ready. The detail names the failed checks. */
export class NotReadyError extends ApplicationError {
  readonly code = 'not-ready';
}
