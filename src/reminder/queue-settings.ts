import { z } from 'zod';
import { duration, readVariables, type Environment } from '../shared/env.js';

/*
 * How soon the queue notices things. No operator has to change this; tests of crashes do, as they wait for it.
 */

const wholeSeconds = (initial: string, least: number) =>
  duration(initial)
    .refine((value) => value.total('seconds') >= least, `must be at least PT${least}S`)
    .transform((value) => value.total('seconds'));

const variables = z.object({
  /** Jobs of a killed worker come back after so long without a sign of life; pg-boss takes whole seconds, 10 or more. */
  QUEUE_HEARTBEAT: wholeSeconds('PT15S', 10).pipe(z.int('must be in whole seconds')),
  /** How often is looked for such jobs. */
  QUEUE_SUPERVISION: wholeSeconds('PT10S', 1),
  /** How often a worker without work looks for some. */
  QUEUE_POLLING: wholeSeconds('PT1S', 0.5),
});

export type QueueSettings = { heartbeatSeconds: number; supervisionSeconds: number; pollingSeconds: number };

export function queueSettings({ given }: Pick<Environment, 'given'>): QueueSettings {
  const read = readVariables(variables, given);
  return {
    heartbeatSeconds: read.QUEUE_HEARTBEAT,
    supervisionSeconds: read.QUEUE_SUPERVISION,
    pollingSeconds: read.QUEUE_POLLING,
  };
}
