import type { MikroORM } from '@mikro-orm/core';
import { Distribution } from '../../shared/persistence/index.js';

/**
 * Leaves out jobs that were queued before the database was distributed: they name no Clinic, and statements without one
 * cannot lock reminders. Such a job ends without a delivery, and the sweeper queues its message again.
 */
export function leaveOutEarlierJobs<Job extends { data: { clinicId?: number } }>(
  { config }: Pick<MikroORM, 'config'>,
  jobs: readonly Job[],
): readonly Job[] {
  const { isDistributed } = Distribution.of(config);
  return isDistributed ? jobs.filter(({ data }) => data.clinicId !== undefined) : jobs;
}
