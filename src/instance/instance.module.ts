import { Module } from '@nestjs/common';
import { SchedulerModule } from '../scheduler/index.js';
import { InstanceHeartbeat } from './instance.heartbeat.js';

/** Records the running instances of the service and the offsets of their clocks. */
@Module({ imports: [SchedulerModule], providers: [InstanceHeartbeat], exports: [InstanceHeartbeat] })
export class InstanceModule {}
