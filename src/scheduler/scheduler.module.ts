import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { SchedulerMetrics } from './scheduler.metrics.js';
import { Scheduler } from './scheduler.js';

/**
 * Runs the scheduled jobs of all modules. Among them are the dispatch of due reminders, those of `remindDays` included
 * (registered by `src/reminder`), the seals of the audit trail, clean-up, revocations and rate limits.
 */
@Module({ imports: [ScheduleModule.forRoot()], providers: [Scheduler, SchedulerMetrics], exports: [Scheduler] })
export class SchedulerModule {}
