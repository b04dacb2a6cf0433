import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { SchedulerMetrics } from './scheduler.metrics.js';
import { Scheduler } from './scheduler.js';

/**
 * Runs the scheduled jobs of all modules: the dispatch of due reminders (including those from `remindDays`; registered
 * by `src/reminder`), audit trail seals, clean-up, revocations, rate limits and others.
 */
@Module({ imports: [ScheduleModule.forRoot()], providers: [Scheduler, SchedulerMetrics], exports: [Scheduler] })
export class SchedulerModule {}
