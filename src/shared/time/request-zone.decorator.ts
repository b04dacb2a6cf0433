import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { InvalidRequestError } from '../errors/index.js';
import { toOffsetZone } from './zone.js';

const MAX_OFFSET_MINUTES = 840;

/** What the header means for Sessions: the counterpart of `zoneOfRequest`. */
const ZONE_RESOLUTION =
  "Where it agrees with the Clinic's time zone, at the first Session or now, that zone is meant; else the fixed offset " +
  'holds, with the warning `FIXED_OFFSET`. ';

/**
 * Documents the `offset` header of the specification on an operation.
 *
 * @param reading `literal`: the offset as it is, whatever the zone of the Clinic
 */
export const ApiOffsetHeader = (reading: 'literal' | 'agreed' = 'agreed') =>
  applyDecorators(
    ApiHeader({
      name: 'offset',
      required: false,
      description:
        "The caller's UTC offset in whole minutes, positive east: the zone in which the wall-clock fields of this " +
        `request are written. ${reading === 'agreed' ? ZONE_RESOLUTION : ''}Absent: the time zone of the Clinic.`,
      schema: { type: 'integer', minimum: -MAX_OFFSET_MINUTES, maximum: MAX_OFFSET_MINUTES, example: 60 },
    }),
  );

/**
 * The zone that the `offset` header names, as `+05:30`, or undefined without the header
 * (docs/decisions.md, "`offset` header").
 */
export const RequestZone = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined =>
  parseOffset(context.switchToHttp().getRequest<FastifyRequest>().headers['offset']),
);

/** @throws InvalidRequestError (400) when it is not an integer from -840 to 840 */
export function parseOffset(header: string | string[] | undefined): string | undefined {
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
  return toOffsetZone(Number(value));
}
