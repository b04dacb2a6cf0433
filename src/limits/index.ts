// Public interface of this module. Other modules import nothing else from it.
export { getClientAddress } from './client-address.js';
export { limitRequestsByAddress } from './address-limit.js';
export { limitRequestsByCaller } from './caller-limit.js';
export { limitConnections } from './connection-limit.js';
export { LimitsModule } from './limits.module.js';
export { RateLimiter } from './rate-limiter.js';
export { FailedAuthenticationFilter } from './failed-authentication.filter.js';
export { CallerConcurrency } from './caller-concurrency.js';
