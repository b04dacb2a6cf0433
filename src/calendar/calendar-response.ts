import { applyDecorators, Header } from '@nestjs/common';
import { ApiHeader, ApiProduces, ApiResponse } from '@nestjs/swagger';
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
    ApiResponse({
      status: 304,
      description: 'The calendar has not changed since the response that `If-None-Match` names.',
    }),
    ApiHeader({
      name: 'if-none-match',
      required: false,
      description: 'The `ETag` of an earlier response. 304 without a body if nothing has changed since.',
      schema: { type: 'string' },
    }),
    ApiProduces('text/calendar'),
    Header('content-type', 'text/calendar; charset=utf-8'),
    ...(fileName === undefined ? [] : [Header('content-disposition', `attachment; filename="${fileName}"`)]),
  );
}
