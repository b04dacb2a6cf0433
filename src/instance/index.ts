export { InstanceHeartbeat } from './instance.heartbeat.js';
export { InstanceModule } from './instance.module.js';
export { RequestActivity } from './request-activity.js';
export { findRunningInstances } from './running-instances.js';
