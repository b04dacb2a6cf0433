import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidRequestError, PreconditionFailedError, PreconditionRequiredError } from '../errors/index.js';

/** Sets the `ETag` response header to the version of the resource (RFC 9110, section 8.8.3). @returns the body */
export function withEtag<T>(reply: FastifyReply, version: number, body: T): T {
  reply.header('etag', `"${version}"`);
  return body;
}

/** Documents the `If-Match` header that an operation requires. */
export const ApiIfMatch = () =>
  ApiHeader({
    name: 'if-match',
    required: true,
    description:
      'The `ETag` of the version that is to be changed, such as `"1"`: 428 without it, 412 when it is not the current one.',
    schema: { type: 'string' },
  });

/**
 * Parameter decorator that returns the version in the `If-Match` header.
 *
 * @throws PreconditionRequiredError (428) if the header is missing
 * @throws PreconditionFailedError (412) if this service cannot have created the tag
 */
export const IfMatchVersion = createParamDecorator((_: unknown, context: ExecutionContext): number => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  if (header === undefined) throw new PreconditionRequiredError();
  if (header === '*' || header.includes(',')) {
    throw new InvalidRequestError([{ pointer: '/if-match', detail: 'the header If-Match must be one ETag' }]);
  }
  const version = /^"(\d{1,9})"$/.exec(header.trim())?.[1];
  if (version === undefined) throw new PreconditionFailedError();
  return Number(version);
});
