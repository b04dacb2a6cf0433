import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { SchedulerMetrics } from './scheduler.metrics.js';
import { Scheduler } from './scheduler.js';

/**
 * Runs the scheduled jobs that the modules register, such as the dispatch of due reminders (`src/reminder`, including
 * those from `remindDays`), the sealing of the audit trail and the synchronisation of rate limits.
 */
@Module({ imports: [ScheduleModule.forRoot()], providers: [Scheduler, SchedulerMetrics], exports: [Scheduler] })
export class SchedulerModule {}
