import { MikroORM } from '@mikro-orm/core';
import { Controller, Get, Logger, ServiceUnavailableException } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import { z } from 'zod';
import { ReminderQueue } from '../../reminder/index.js';
import { Scheduler } from '../../scheduler/index.js';
import { Access, PUBLIC } from '../../shared/access/index.js';
import { NotReadyError } from '../../shared/errors/index.js';
import { Operation } from '../../shared/http/index.js';
import { Clock } from '../../shared/time/index.js';
import { ZoneDataState } from '../../zone-data/index.js';
import { InstanceMetrics } from './instance.metrics.js';
import {
  DatabaseDamage,
  Distribution,
  FieldEncryption,
  findDatabaseFault,
  ReplicaDatabase,
  type DatabaseFault,
} from '../../shared/persistence/index.js';
import { GracefulShutdown } from '../process/graceful-shutdown.js';

const UP = { database: { status: 'up' } };
const checks = (description: string, example: object) =>
  z.record(z.string(), z.looseObject({ status: z.enum(['up', 'down']) })).meta({ description, example });
const healthSchema = z
  .object({
    status: z.string().meta({ description: '`ok` if all checks have passed.', example: 'ok' }),
    info: checks('The checks that passed.', UP),
    error: checks('The checks that failed.', {}),
    details: checks('All checks.', UP),
  })
  .meta({ id: 'Health', description: 'The state of the service.' });

@ApiTags('Operations')
@Controller('/health')
@Access(PUBLIC)
export class HealthController {
  private readonly logger = new Logger(HealthController.name);
  /** The fault that the last probe found. A fault is logged only when it changes, not on every probe. */
  private lastFault: DatabaseFault | undefined;

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly orm: MikroORM,
    private readonly queue: ReminderQueue,
    private readonly scheduler: Scheduler,
    private readonly clock: Clock,
    private readonly shutdown: GracefulShutdown,
    private readonly damage: DatabaseDamage,
    private readonly zoneData: ZoneDataState,
    private readonly replicaDatabase: ReplicaDatabase,
    private readonly encryption: FieldEncryption,
    metrics: InstanceMetrics,
  ) {
    metrics.setReadinessCheck(() => this.checkReadiness());
  }

  @Get('live')
  @Operation({
    summary: 'Is the process alive?',
    success: { status: 200, description: 'The process is alive.', schema: healthSchema },
  })
  checkLiveness(): HealthCheckResult {
    // Terminus would respond with 503 during a shutdown, and the orchestrator would kill the process too early.
    return { status: 'ok', info: {}, error: {}, details: {} };
  }

  @Get('ready')
  @Operation({
    summary: 'Can the service answer requests and deliver reminders?',
    description:
      'Checks the database, the queue, the clock of the machine (at most 30 s off), the time zone data (not older than the data in use) and the progress of the jobs. The detail of a 503 names the failed checks. `replica`: whether a replica serves reads; the service is ready without it. `servers`: those of a distributed database; `degraded` names those that do not answer. `vault`: whether Vault, if it encrypts keys, can be used.',
    success: { status: 200, description: 'All checks passed.', schema: healthSchema },
  })
  async checkReadiness(): Promise<HealthCheckResult> {
    // During a shutdown, requests are still answered, but load balancers must not send new ones.
    if (this.shutdown.hasBegun) throw new ServiceUnavailableException();
    try {
      return await this.health.check([
        () => this.checkDatabase(),
        () => this.checkReminderQueue(),
        () => this.checkMachineClock(),
        () => this.checkTimeZoneData(),
        () => this.checkJobs(),
        ...(Distribution.of(this.orm.config).isDistributed ? [() => this.checkServers()] : []),
        ...(this.replicaDatabase.isConfigured ? [() => this.checkReplica()] : []),
        ...(this.encryption.keys?.server === undefined ? [] : [() => this.checkVault()]),
      ]);
    } catch (error) {
      throw error instanceof ServiceUnavailableException ? notReady(error) : error;
    }
  }

  private async checkDatabase(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('database');
    const fault = await findDatabaseFault(this.orm, this.damage);
    if (fault !== undefined && fault !== this.lastFault) this.logger.error({ fault }, 'the database cannot serve');
    this.lastFault = fault;
    return fault === undefined ? indicator.up() : indicator.down(fault);
  }

  /** Losing the replica does not make the instance unready, because the primary then serves the replica's reads. */
  private checkReplica(): HealthIndicatorResult {
    const { fault } = this.replicaDatabase;
    return this.indicators.check('replica').up({ state: fault ?? 'in use' });
  }

  /** An outage of Vault does not make the instance unready, because requests with cached keys still succeed. */
  private checkVault(): HealthIndicatorResult {
    const fault = this.encryption.keys?.server?.fault;
    return this.indicators.check('vault').up({ state: fault ?? 'in use' });
  }

  /**
   * A server that is down does not make the instance unready, because the instance can still serve the Clinics whose
   * data is on other servers.
   */
  private async checkServers(): Promise<HealthIndicatorResult> {
    const unreachable = await Distribution.of(this.orm.config).findUnreachable(this.orm);
    const indicator = this.indicators.check('servers');
    return unreachable.length === 0
      ? indicator.up({ state: 'in use' })
      : indicator.up({ state: 'degraded', unreachable });
  }

  private checkReminderQueue(): HealthIndicatorResult {
    const indicator = this.indicators.check('reminderQueue');
    return this.queue.isRunning ? indicator.up() : indicator.down();
  }

  private checkMachineClock(): HealthIndicatorResult {
    const indicator = this.indicators.check('clock');
    const { isReliable, machineOffset } = this.clock;
    const ahead = `the machine's clock is ${machineOffset / 1000} s ahead of the database's`;
    return isReliable ? indicator.up() : indicator.down(ahead);
  }

  private checkTimeZoneData(): HealthIndicatorResult {
    const indicator = this.indicators.check('zoneData');
    const { version, databaseVersion, isOutdated, mismatch } = this.zoneData;
    return isOutdated ? indicator.down(mismatch) : indicator.up({ version, inUse: databaseVersion });
  }

  private checkJobs(): HealthIndicatorResult {
    const indicator = this.indicators.check('jobs');
    const stalled = this.scheduler.listJobStatuses().flatMap(({ name, isStalled }) => (isStalled ? [name] : []));
    return stalled.length === 0 ? indicator.up() : indicator.down(`no progress of ${stalled.join(', ')}`);
  }
}

/** Converts an error from Terminus into a problem whose detail names the failed checks. */
function notReady(error: ServiceUnavailableException): NotReadyError {
  const { error: failed = {} } = error.getResponse() as HealthCheckResult;
  const reasons = Object.entries(failed).map(([name, check]) => {
    const message: unknown = check?.['message'];
    return typeof message === 'string' ? `${name} (${message})` : name;
  });
  return new NotReadyError(`Not ready: ${reasons.join(', ')}.`);
}
