import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidRequestError } from '../errors/index.js';
import { LogPosition, POSITION_TOKEN_PATTERN } from '../persistence/index.js';

/** The header that carries the position of a caller's last write. */
const HEADER = 'consistency-token';

const EXAMPLE = '000000010000000003000148';
const SCHEMA = { type: 'string', pattern: POSITION_TOKEN_PATTERN, example: EXAMPLE } as const;

/** Documents the request header. */
export const CONSISTENCY_TOKEN_PARAMETER = {
  name: 'Consistency-Token',
  required: false,
  description:
    'The `Consistency-Token` of the last response to a write of the caller. With it, the answer contains that write, and ' +
    'changes by others may be missing for some seconds. Without it, the answer is current. 400 if it is malformed.',
  schema: SCHEMA,
};

/** Documents the response header. */
export const CONSISTENCY_TOKEN_HEADER = {
  description:
    'Names this write, for the header of the same name in later reads. Of several tokens, the one that sorts last as a ' +
    'text covers the others. Absent if the service has no replica.',
  schema: SCHEMA,
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

/** Names the position of a write in its response. */
export function setConsistencyToken(reply: FastifyReply, position: LogPosition): void {
  reply.header(HEADER, String(position));
}
