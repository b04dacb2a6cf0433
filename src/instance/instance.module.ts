import { Module } from '@nestjs/common';
import { SchedulerModule } from '../scheduler/index.js';
import { InstanceHeartbeat } from './instance.heartbeat.js';

/** The processes of the service that work on one database, and how far their clocks are off. */
@Module({ imports: [SchedulerModule], providers: [InstanceHeartbeat], exports: [InstanceHeartbeat] })
export class InstanceModule {}
