import { applyDecorators, Header } from '@nestjs/common';
import { ApiHeader, ApiProduces, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { Operation, type OperationOptions } from '../shared/http/index.js';
import { calendarSchema } from './dto/calendar.js';

type CalendarOperationOptions = Omit<OperationOptions, 'success' | 'clientData'> & {
  answer: string;
  /** Name of the file to download; absent for a feed, which calendar programs fetch repeatedly. */
  fileName?: string;
};

const ETAG = { ETag: { description: 'Version of the calendar, for `If-None-Match`.', example: 'W/"2jmj7l5r"' } };

/** Declares an operation that returns a calendar (text/calendar), or 304 when `If-None-Match` matches. */
export function CalendarOperation({ answer, fileName, ...operation }: CalendarOperationOptions) {
  return applyDecorators(
    Operation({
      ...operation,
      success: { status: 200, description: answer, schema: calendarSchema, headers: ETAG },
      clientData: true,
    }),
    ApiResponse({ status: 304, description: 'It has not changed since the answer that `If-None-Match` names.' }),
    ApiHeader({
      name: 'if-none-match',
      required: false,
      description: 'The `ETag` of an earlier answer: 304 without a body where nothing has changed since.',
      schema: { type: 'string' },
    }),
    ApiProduces('text/calendar'),
    Header('content-type', 'text/calendar; charset=utf-8'),
    ...(fileName === undefined ? [] : [Header('content-disposition', `attachment; filename="${fileName}"`)]),
  );
}

/**
 * Returns the calendar, or sets 304 without a body when `If-None-Match` matches its ETag (RFC 9110, section 13.1.2). The
 * tag is weak, so that the calendar may be compressed.
 */
export function toCalendarResponse(request: FastifyRequest, reply: FastifyReply, calendar: string): string | undefined {
  const tag = `W/"${hash('sha256', calendar, 'base64url')}"`;
  reply.header('etag', tag);
  const seen = request.headers['if-none-match']?.split(',').map((one) => one.trim()) ?? [];
  if (!seen.some((one) => one === '*' || toWeakTag(one) === tag)) return calendar;
  reply.status(304);
  return undefined;
}

/** `If-None-Match` compares weakly: `"a"` and `W/"a"` are the same (RFC 9110, section 8.8.3.2). */
function toWeakTag(tag: string): string {
  return `W/${tag.replace(/^W\//, '')}`;
}
