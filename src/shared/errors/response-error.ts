import type { FastifyRequest } from 'fastify';

const errors = new WeakMap<FastifyRequest, unknown>();

/** Stores the error with which a request is answered, for use by the audit trail. */
export function storeResponseError(request: FastifyRequest, error: unknown): void {
  errors.set(request, error);
}

/** Returns the error with which a request was answered, or undefined if there was none. */
export function findResponseError(request: FastifyRequest): unknown {
  return errors.get(request);
}
