import { ApiCreatedResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';

/** Says where the record that a POST made can be read. */
export function created(reply: FastifyReply, location: string): void {
  reply.header('location', location);
}

/** Answers a PUT: 201 with the location of a new record, 204 where one was replaced. */
export function put(reply: FastifyReply, result: { created: boolean }, location: string): void {
  if (result.created) created(reply.status(201), location);
  else reply.status(204);
}

/** Documents the 201 of a PUT. */
export const ApiCreatedByPut = (example: string) =>
  ApiCreatedResponse({
    description: 'Registered.',
    headers: { Location: { description: 'Where to read it.', schema: { type: 'string', example } } },
  });
