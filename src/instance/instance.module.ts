import { Module } from '@nestjs/common';
import { SchedulerModule } from '../scheduler/index.js';
import { Instance } from './instance.entity.js';
import { InstanceHeartbeat } from './instance.heartbeat.js';
import { RequestActivity } from './request-activity.js';

/** Keeps track of the running instances of the service, and of how far each clock is from the database's clock. */
@Module({
  imports: [SchedulerModule],
  providers: [InstanceHeartbeat, RequestActivity],
  exports: [InstanceHeartbeat, RequestActivity],
})
export class InstanceModule {
  static readonly entities = [Instance] as const;
}
