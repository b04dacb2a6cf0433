import { z } from 'zod';
import { declareVariables, durationVariable, readVariables, type Environment } from '../../shared/config/env.js';

/* The queue's intervals. Operators need not change them; crash tests use shorter intervals. */

/** pg-boss and timers have upper limits, of which this is the lowest. */
const MAX_HOURS = 24;

const wholeSeconds = (initial: string, least: number) =>
  durationVariable(initial)
    .refine((value) => value.total('seconds') >= least, `must be at least PT${least}S`)
    .refine((value) => value.total('hours') <= MAX_HOURS, `must be at most PT${MAX_HOURS}H`)
    .transform((value) => value.total('seconds'));

const variables = z.object(
  declareVariables('Queue', {
    // pg-boss requires a whole number of seconds, at least 10.
    QUEUE_HEARTBEAT: wholeSeconds('PT15S', 10)
      .pipe(z.int('must be in whole seconds'))
      .describe('ISO 8601 duration. Jobs of a crashed worker are fetched again after this time.'),
    QUEUE_SUPERVISION: wholeSeconds('PT10S', 1).describe('ISO 8601 duration. Interval of the search for such jobs.'),
    QUEUE_POLLING: wholeSeconds('PT1S', 0.5).describe(
      'ISO 8601 duration. Interval at which an idle worker fetches jobs.',
    ),
  }),
);

/**
 * How often completed jobs are deleted whose time (`deleteAfterSeconds`) is over. By default, pg-boss does so once a day,
 * and its counts and the sweeper read all jobs that are left.
 */
export const DELETION_INTERVAL_SECONDS = 600;

export type QueueSettings = { heartbeatSeconds: number; supervisionSeconds: number; pollingSeconds: number };

export function readQueueSettings({ rawVariables }: Pick<Environment, 'rawVariables'>): QueueSettings {
  const read = readVariables(variables, rawVariables);
  return {
    heartbeatSeconds: read.QUEUE_HEARTBEAT,
    supervisionSeconds: read.QUEUE_SUPERVISION,
    pollingSeconds: read.QUEUE_POLLING,
  };
}
