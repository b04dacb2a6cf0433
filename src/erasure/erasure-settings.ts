import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { declareVariables, durationVariable, Environment, readVariables } from '../shared/config/env.js';
import type { ErasurePeriods } from './domain/erasure.entity.js';

const variables = z.object(
  declareVariables('Erasure', {
    ERASURE_DELAY: z
      .string()
      .refine(isDuration, 'must be an ISO 8601 duration of at most P7D, such as PT1H')
      .default('PT1H')
      .transform((text) => toTime(Temporal.Duration.from(text)))
      .describe(
        'ISO 8601 duration, at most `P7D`. How long a requested erasure waits until it can be confirmed, so that colleagues can object. `PT0S`: it can be confirmed at once.',
      ),
    ERASURE_VALIDITY: durationVariable('P7D')
      .refine((duration) => isAtMostDays(duration, 30), 'must be at most P30D')
      .transform(toTime)
      .describe('ISO 8601 duration, at most `P30D`. How long a requested erasure can be confirmed.'),
    ERASURE_BACKUP_LIFETIME: durationVariable('P30D')
      .refine((duration) => isAtMostDays(duration, 30), 'must be at most P30D')
      .transform(toTime)
      .describe(
        'ISO 8601 duration, at most `P30D`. How long backups from before an erasure are kept: then it is complete.',
      ),
  }),
);

/** The periods of erasures that the operator has chosen. */
@Injectable()
export class ErasureSettings {
  readonly periods: ErasurePeriods;
  readonly backupLifetime: Temporal.Duration;

  constructor(environment: Environment) {
    const read = readVariables(variables, environment.rawVariables);
    this.periods = { delay: read.ERASURE_DELAY, validity: read.ERASURE_VALIDITY };
    this.backupLifetime = read.ERASURE_BACKUP_LIFETIME;
  }
}

/** Converts a duration to seconds, because an instant can be moved only by hours and shorter units. */
function toTime(duration: Temporal.Duration): Temporal.Duration {
  return Temporal.Duration.from({ seconds: Math.round(duration.total('seconds')) });
}

function isAtMostDays(duration: Temporal.Duration, days: number): boolean {
  return duration.total('hours') <= days * 24;
}

function isDuration(text: string): boolean {
  try {
    const duration = Temporal.Duration.from(text);
    return duration.sign >= 0 && isAtMostDays(duration, 7);
  } catch {
    return false;
  }
}
