import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { InvalidRequestError, PreconditionRequiredError, type ExpectedVersion } from '../errors/index.js';

/**
 * Sets the `ETag` response header to the version of the resource (RFC 9110, section 8.8.3).
 *
 * @returns the body
 */
export function withEtagHeader<T>(reply: FastifyReply, version: number, body: T): T {
  reply.header('etag', `"${version}"`);
  return body;
}

/** Returns an `ETag` for a body. It is weak, so that the body may be compressed. */
export function computeWeakTag(body: string): string {
  return `W/"${hash('sha256', body, 'base64url')}"`;
}

/** Whether `If-None-Match` allows a response with this `ETag`. If not, the response is 304 without a body. */
export function passesIfNoneMatch(request: FastifyRequest, tag: string): boolean {
  const header = request.headers['if-none-match'];
  if (header === undefined) return true;
  const seen = header.split(',').map((one) => one.trim());
  return !seen.some((one) => one === '*' || toWeakTag(one) === toWeakTag(tag));
}

/** `If-None-Match` compares weakly: `"a"` and `W/"a"` are the same (RFC 9110, section 8.8.3.2). */
function toWeakTag(tag: string): string {
  return `W/${tag.replace(/^W\//, '')}`;
}

/** Documents the `ETag` header of a response with one record. */
export const ETAG_RESPONSE_HEADER = {
  ETag: { description: 'The version, for `If-Match`, if there is one record.', example: '"1"' },
};

/** Documents the `If-Match` header of an operation. If the header is required but missing, the response is 428. */
export const ApiIfMatch = ({ isRequired = true } = {}) =>
  ApiHeader({
    name: 'if-match',
    required: isRequired,
    description: isRequired
      ? 'The `ETag` of the version to change, such as `"1"`. 428 if it is absent; 412 if it is not the current version.'
      : 'The `ETag` of the version to change. 412 if it is not the current version. If it is absent, any version is changed.',
    schema: { type: 'string' },
    ...(isRequired && { example: '"1"' }),
  });

/**
 * Parameter decorator that returns the version in the `If-Match` header.
 *
 * @throws PreconditionRequiredError (428) if the header is missing
 */
export const IfMatchVersion = createParamDecorator((_: unknown, context: ExecutionContext): number => {
  const version = readIfMatch(context);
  if (version === undefined) throw new PreconditionRequiredError();
  return version;
});

/** Parameter decorator like `IfMatchVersion`, for operations that do not require the header. */
export const OptionalIfMatchVersion = createParamDecorator((_: unknown, context: ExecutionContext) =>
  readIfMatch(context),
);

/** Documents the headers of an operation that creates or replaces a record. */
export const ApiPutConditions = () =>
  applyDecorators(
    ApiIfMatch({ isRequired: false }),
    ApiHeader({
      name: 'if-none-match',
      required: false,
      description: '`*`: the record is only created. 412 if it exists.',
      schema: { type: 'string', enum: ['*'] },
    }),
  );

/** Parameter decorator that returns the version that the headers `If-Match` and `If-None-Match` of a PUT expect. */
export const PutConditions = createParamDecorator((_: unknown, context: ExecutionContext): ExpectedVersion => {
  const version = readIfMatch(context);
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-none-match'];
  if (header === undefined) return version;
  if (header.trim() !== '*') {
    throw new InvalidRequestError([{ pointer: '/if-none-match', detail: 'the header If-None-Match must be *' }]);
  }
  return version === undefined ? 'ABSENT' : NO_VERSION;
});

/**
 * A version that no record has. It is used for an `If-Match` tag that this service cannot have created, so the response
 * is 412 or 404. It is not 0, which is the version of the retention before anything was chosen.
 */
const NO_VERSION = -1;

function readIfMatch(context: ExecutionContext): number | undefined {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  if (header === undefined) return undefined;
  if (header === '*' || header.includes(',')) {
    throw new InvalidRequestError([{ pointer: '/if-match', detail: 'the header If-Match must be one ETag' }]);
  }
  return Number(/^"(0|[1-9]\d{0,8})"$/.exec(header.trim())?.[1] ?? NO_VERSION);
}
