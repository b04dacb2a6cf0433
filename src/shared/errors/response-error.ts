import type { FastifyRequest } from 'fastify';

const errors = new WeakMap<FastifyRequest, unknown>();

/** Stores the error that a request is answered with, for the audit trail. */
export function storeResponseError(request: FastifyRequest, error: unknown): void {
  errors.set(request, error);
}

/** Returns the error that a request was answered with; undefined if there was none. */
export function findResponseError(request: FastifyRequest): unknown {
  return errors.get(request);
}
