import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { NotReadyError } from '../../shared/errors/index.js';
import { GracefulShutdown } from '../process/graceful-shutdown.js';
import { DatabaseChecks } from './database.checks.js';
import { InstanceChecks } from './instance.checks.js';

/** Tells whether this instance can answer requests and deliver reminders. */
@Injectable()
export class ReadinessService {
  constructor(
    private readonly health: HealthCheckService,
    private readonly databaseChecks: DatabaseChecks,
    private readonly instanceChecks: InstanceChecks,
    private readonly shutdown: GracefulShutdown,
  ) {}

  /**
   * @throws ServiceUnavailableException during a shutdown
   * @throws NotReadyError when a check fails
   */
  async check(): Promise<HealthCheckResult> {
    // During a shutdown, requests are still answered, but load balancers must not send new ones.
    if (this.shutdown.hasBegun) throw new ServiceUnavailableException();
    try {
      return await this.health.check([...this.databaseChecks.list(), ...this.instanceChecks.list()]);
    } catch (error) {
      throw error instanceof ServiceUnavailableException ? toNotReadyError(error) : error;
    }
  }
}

/** Converts an error from Terminus into a problem whose detail names the failed checks. */
function toNotReadyError(error: ServiceUnavailableException): NotReadyError {
  const { error: failed = {} } = error.getResponse() as HealthCheckResult;
  const reasons = Object.entries(failed).map(([name, check]) => {
    const message: unknown = check?.['message'];
    return typeof message === 'string' ? `${name} (${message})` : name;
  });
  return new NotReadyError(`Not ready: ${reasons.join(', ')}.`);
}
