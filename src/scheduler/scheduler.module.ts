import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { SchedulerMetrics } from './scheduler.metrics.js';
import { Scheduler } from './scheduler.js';

/**
 * The scheduler module: runs what the clock drives. It fires the reminders of `remindDays` (the dispatch that
 * `src/reminder` registers), seals the audit trail, cleans up, reads revocations and adds up rate limits.
 */
@Module({ imports: [ScheduleModule.forRoot()], providers: [Scheduler, SchedulerMetrics], exports: [Scheduler] })
export class SchedulerModule {}
