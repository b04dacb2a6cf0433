import type { FastifyRequest } from 'fastify';

const errors = new WeakMap<FastifyRequest, unknown>();

/** Remembers with which error a request is answered. */
export function storeResponseError(request: FastifyRequest, error: unknown): void {
  errors.set(request, error);
}

/** The error that a request is answered with; undefined where it is answered without one. */
export function findResponseError(request: FastifyRequest): unknown {
  return errors.get(request);
}
