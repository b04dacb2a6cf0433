import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { InvalidRequestError } from '../errors/index.js';
import { formatUtcOffset } from './zone.js';

const MAX_OFFSET_MINUTES = 840;

type OffsetMode = 'literal' | 'resolved' | 'change';

/** Describes the rules of `resolveRequestZone` and `computeRequestedTime` in OpenAPI. */
const ZONE_RULES: Readonly<Record<OffsetMode, string>> = {
  literal: 'Default: the time zone of the Clinic.',
  resolved:
    "If it is that of the Clinic's time zone, at the first Session or now, that time zone is used; otherwise the fixed offset, " +
    'with the warning `FIXED_OFFSET`. Default: the time zone of the Clinic.',
  change:
    'If it is that of the time zone of the Session, or else of the Clinic, at that time or now, that time zone is used; otherwise ' +
    'the fixed offset, with the warning `FIXED_OFFSET`. Default: the time zone of the Session.',
};

/**
 * Documents the specification's `offset` header for an operation.
 *
 * @param mode `literal`: always the fixed offset; `resolved`: the Clinic's time zone if it has this offset; `change`:
 *   the time zone of the changed Session if it has this offset
 */
export const ApiOffsetHeader = (mode: OffsetMode = 'resolved') =>
  applyDecorators(
    ApiHeader({
      name: 'offset',
      required: false,
      description:
        "The caller's UTC offset in whole minutes, positive east, such as `60`: the zone of the wall-clock fields of this request. " +
        ZONE_RULES[mode],
      schema: { type: 'integer', minimum: -MAX_OFFSET_MINUTES, maximum: MAX_OFFSET_MINUTES },
    }),
  );

/**
 * Injects the UTC offset from the `offset` header, such as `+05:30`; undefined if the header is absent
 * (docs/decisions.md, "`offset` header").
 */
export const RequestOffset = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined =>
  parseOffsetHeader(context.switchToHttp().getRequest<FastifyRequest>().headers['offset']),
);

/**
 * Converts the minutes in the `offset` header to an offset such as `+05:30`.
 *
 * @throws InvalidRequestError if the value is not an integer from -840 to 840
 */
export function parseOffsetHeader(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const value = String(header).trim();
  if (!/^[+-]?\d{1,4}$/.test(value) || Math.abs(Number(value)) > MAX_OFFSET_MINUTES) {
    throw new InvalidRequestError([
      {
        pointer: '/offset',
        detail: `the header offset must be whole minutes from -${MAX_OFFSET_MINUTES} to ${MAX_OFFSET_MINUTES}`,
      },
    ]);
  }
  return formatUtcOffset(Number(value));
}
