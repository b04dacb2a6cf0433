import type { EntityManager } from '@mikro-orm/core';
import { Logger } from '@nestjs/common';
import { findRootCause } from '../shared/errors/index.js';
import { JobStoppedError } from './job.js';

/** A part of a run that does not depend on the other parts, such as the work for one Clinic. */
export type IndependentPart = { name: string; run: () => Promise<unknown> };

const logger = new Logger('Scheduler');

/**
 * Runs the parts of a job one after the other. A part that fails does not prevent the others. If the database does not
 * answer, the run ends, because all other parts would fail as well.
 *
 * @param progress called before each part
 * @throws the error of the first part that has failed, after the last part
 */
export async function runIndependentParts(
  em: EntityManager,
  parts: Iterable<IndependentPart>,
  progress: () => void,
): Promise<void> {
  const failures: unknown[] = [];
  for (const { name, run } of parts) {
    progress();
    try {
      await run();
    } catch (error) {
      if (error instanceof JobStoppedError) throw error;
      logFailure(name, error);
      failures.push(error);
      await em.fork().getConnection().execute('select 1');
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** Logs a failed part without the message of the error, which may contain values from rows. */
function logFailure(part: string, error: unknown): void {
  const { name, code } = findRootCause(error);
  logger.error({ part, error: name, code }, 'a part of a job failed');
}
