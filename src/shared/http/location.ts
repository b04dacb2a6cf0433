import { ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toSuccessResponse } from './success-response.js';

/** Sets the `Location` header for a created record. */
export function setLocation(reply: FastifyReply, location: string): void {
  reply.header('location', location);
}

/** Sets the response status of a PUT: 201 with `Location` for a created record, or 204 for a replaced record. */
export function setPutStatusAndLocation(reply: FastifyReply, result: { created: boolean }, location: string): void {
  if (result.created) setLocation(reply.status(201), location);
  else {
    replacedLocations.set(reply.request, location);
    reply.status(204);
  }
}

/** Returns the path of the record that a request has created or replaced, even if the response has no `Location`. */
export function getRecordLocation(reply: FastifyReply): string | undefined {
  return reply.getHeader('location')?.toString() ?? replacedLocations.get(reply.request);
}

const replacedLocations = new WeakMap<FastifyRequest, string>();

/**
 * The documentation of the header is the same for all kinds of records, so that the OpenAPI document contains it once.
 */
export const RECORD_LOCATION_HEADER = {
  Location: {
    description: 'Path of the record, for example of a Client.',
    example: '/gateway/profile/clinic/client/1',
  },
};

/** Documents the 201 response to a PUT. */
export const ApiCreatedByPut = () =>
  ApiResponse(toSuccessResponse({ status: 201, description: 'Registered.', headers: RECORD_LOCATION_HEADER }));
