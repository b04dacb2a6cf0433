import type { FastifyReply } from 'fastify';
import { Operation, setLocation, type OperationOptions } from '../../shared/http/index.js';
import type { ChangeQuery } from '../scheduling/dto/change-query.js';
import { findVersionOfOnlySession, seriesChangeSchema, type SeriesChange } from '../scheduling/dto/series-change.js';

/**
 * Declares an operation that creates the Sessions of a series and returns them.
 *
 * @param location an example of the path of a new series
 */
export function CreateSeriesOperation(
  options: Pick<OperationOptions, 'operationId' | 'summary' | 'description'>,
  location: string,
  notFound: readonly 404[] = [],
) {
  return Operation({
    ...options,
    success: {
      status: 201,
      description: 'Created.',
      schema: seriesChangeSchema,
      headers: { Location: { description: 'The new series.', example: location } },
    },
    dryRun: true,
    errors: [400, ...notFound, 409, 413, 415, 422],
    representation: 'default',
    versionOf: findVersionOfOnlySession,
    clientData: true,
  });
}

/**
 * Sets the `Location` header of a response to the path of the new series. A dry run creates no series, so its response
 * has the status 200 and no location.
 *
 * @param path path of the list of series
 */
export function setSeriesLocation(
  reply: FastifyReply,
  path: string,
  { dryRun }: ChangeQuery,
  change: SeriesChange,
): SeriesChange {
  if (dryRun) reply.status(200);
  else setLocation(reply, `${path}/${change.seriesId}`);
  return change;
}

export const APPLY_PLAN_DOCUMENTATION = {
  summary: 'Apply a Design Plan to a Client',
  description:
    "One Session a week with the plan's title and description, and the Books of the week as homework, with reminders at local " +
    'times of the Client; all or nothing.',
};
export const EXAMPLE_SERIES_ID = '019abcde-0000-7000-8000-000000000000';
