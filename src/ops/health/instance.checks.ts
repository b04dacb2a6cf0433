import { Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorFunction, type HealthIndicatorResult } from '@nestjs/terminus';
import { ReminderQueue } from '../../reminder/index.js';
import { Scheduler } from '../../scheduler/index.js';
import { Clock } from '../../shared/time/index.js';
import { ZoneDataState } from '../../zone-data/index.js';

/** Checks the parts of this instance: the reminder queue, the clock of the machine, the time zone data and the jobs. */
@Injectable()
export class InstanceChecks {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly queue: ReminderQueue,
    private readonly clock: Clock,
    private readonly zoneData: ZoneDataState,
    private readonly scheduler: Scheduler,
  ) {}

  list(): HealthIndicatorFunction[] {
    return [
      () => this.checkReminderQueue(),
      () => this.checkMachineClock(),
      () => this.checkTimeZoneData(),
      () => this.checkJobs(),
    ];
  }

  private checkReminderQueue(): HealthIndicatorResult {
    const indicator = this.indicators.check('reminderQueue');
    return this.queue.isRunning ? indicator.up() : indicator.down();
  }

  private checkMachineClock(): HealthIndicatorResult {
    const indicator = this.indicators.check('clock');
    const { isReliable, machineOffset } = this.clock;
    const difference = `${Math.abs(machineOffset) / 1000} s ${machineOffset < 0 ? 'behind' : 'ahead of'}`;
    return isReliable ? indicator.up() : indicator.down(`the machine's clock is ${difference} the database's`);
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
