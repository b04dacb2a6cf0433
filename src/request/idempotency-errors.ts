import { ConflictError, UnprocessableError } from '../shared/errors/index.js';

/** 409: a request with the same idempotency key is still in progress. */
export class RequestInFlightError extends ConflictError {
  override readonly code = 'request-in-flight';
  constructor() {
    super('A request with this Idempotency-Key is being answered: ask again in a moment.');
  }
}

/** 422: the idempotency key was used for a different request. */
export class IdempotencyKeyReusedError extends UnprocessableError {
  override readonly code = 'idempotency-key-reused';
  constructor() {
    super(
      [{ pointer: '/idempotency-key', detail: 'was sent with another request before' }],
      'Another request was sent with this Idempotency-Key: take a new key for a new request.',
    );
  }
}
