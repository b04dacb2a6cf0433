export { Instance } from './instance.entity.js';
export { InstanceHeartbeat } from './instance.heartbeat.js';
export { InstanceModule } from './instance.module.js';
export { RequestActivity } from './request-activity.js';
export { findRunningInstances, type RunningInstance } from './running-instances.js';
