import type { EntityManager } from '@mikro-orm/core';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { findRootCause } from '../shared/errors/index.js';
import { JobStoppedError } from './job.js';

/** A part of a run that does not depend on the other parts, such as the work for one Clinic. */
type IndependentPart = { name: string; run: () => Promise<unknown> };

const logger = new Logger('Scheduler');
/** The parts whose failure was logged within the last minute. Otherwise, frequent jobs would fill the log. */
const logged = new LRUCache<string, true>({ max: 1_000, ttl: 59_000 });

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
      logPartFailure(name, error);
      failures.push(error);
      await em.fork().getConnection().execute('select 1');
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Logs a failed part, at most once a minute, without the message of the error, which may contain values from rows.
 *
 * @param part names the part, and contains no data of a person
 */
export function logPartFailure(part: string, error: unknown): void {
  if (logged.has(part)) return;
  logged.set(part, true);
  const { name, code } = findRootCause(error);
  logger.error({ part, error: name, code }, 'a part of a job failed');
}
