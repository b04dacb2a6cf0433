import { z } from 'zod';
import { declareVariables, durationVariable, readVariables, type Environment } from '../../shared/config/env.js';

/*
 * How soon the queue notices things. No operator has to change this; tests of crashes do, as they wait for it.
 */

const wholeSeconds = (initial: string, least: number) =>
  durationVariable(initial)
    .refine((value) => value.total('seconds') >= least, `must be at least PT${least}S`)
    .transform((value) => value.total('seconds'));

const variables = z.object(
  declareVariables('Queue', {
    // pg-boss takes whole seconds, 10 or more.
    QUEUE_HEARTBEAT: wholeSeconds('PT15S', 10)
      .pipe(z.int('must be in whole seconds'))
      .describe('ISO 8601 duration. Jobs of a worker that has ended without notice are taken up again after so long.'),
    QUEUE_SUPERVISION: wholeSeconds('PT10S', 1).describe('How often such jobs are looked for.'),
    QUEUE_POLLING: wholeSeconds('PT1S', 0.5).describe('How often a worker without work looks for jobs.'),
  }),
);

export type QueueSettings = { heartbeatSeconds: number; supervisionSeconds: number; pollingSeconds: number };

export function queueSettings({ rawVariables }: Pick<Environment, 'rawVariables'>): QueueSettings {
  const read = readVariables(variables, rawVariables);
  return {
    heartbeatSeconds: read.QUEUE_HEARTBEAT,
    supervisionSeconds: read.QUEUE_SUPERVISION,
    pollingSeconds: read.QUEUE_POLLING,
  };
}
