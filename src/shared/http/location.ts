import { ApiCreatedResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Says where the record that a POST made can be read. */
export function setLocation(reply: FastifyReply, location: string): void {
  reply.header('location', location);
}

/** Answers a PUT: 201 with the location of a new record, 204 where one was replaced. */
export function setPutResult(reply: FastifyReply, result: { created: boolean }, location: string): void {
  if (result.created) setLocation(reply.status(201), location);
  else {
    replacedLocations.set(reply.request, location);
    reply.status(204);
  }
}

/** Where the record is read that a request has made or replaced; an answer without content does not say it. */
export function getRecordLocation(reply: FastifyReply): string | undefined {
  return reply.getHeader('location')?.toString() ?? replacedLocations.get(reply.request);
}

const replacedLocations = new WeakMap<FastifyRequest, string>();

/** Documents the 201 of a PUT. */
export const ApiCreatedByPut = (example: string) =>
  ApiCreatedResponse({
    description: 'Registered.',
    headers: { Location: { description: 'Where to read it.', schema: { type: 'string', example } } },
  });
