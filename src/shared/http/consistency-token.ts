import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidRequestError } from '../errors/index.js';
import { LogPosition, POSITION_TOKEN_PATTERN } from '../persistence/index.js';

/** Name of the header with the consistency token: the position of the caller's last write. */
const HEADER = 'consistency-token';

/**
 * Documents the request header for operations that a replica may serve. The response to any write can contain the same
 * header.
 */
export const CONSISTENCY_TOKEN_PARAMETER = {
  name: 'Consistency-Token',
  required: false,
  description:
    'That of the response to your last write. The answer contains that write, but may lack changes by others of the last ' +
    'seconds. Without it, the answer is current.',
  schema: { type: 'string', pattern: POSITION_TOKEN_PATTERN },
};

/**
 * Returns the position of the caller's last write.
 *
 * @throws InvalidRequestError if the header is malformed or repeated
 */
export function readConsistencyToken({ raw }: FastifyRequest): LogPosition | undefined {
  const [token, ...repeated] = raw.headersDistinct[HEADER] ?? [];
  if (token === undefined) return undefined;
  const position = repeated.length > 0 ? undefined : LogPosition.parse(token);
  if (position === undefined) {
    const detail = 'the header Consistency-Token must be the one of an earlier response';
    throw new InvalidRequestError([{ pointer: `/${HEADER}`, detail }]);
  }
  return position;
}

/** Adds the position of a write to its response. */
export function setConsistencyToken(reply: FastifyReply, position: LogPosition): void {
  reply.header(HEADER, String(position));
}
