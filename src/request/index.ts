// The door of the way of a request: other modules import from here and from nowhere deeper.
export { IdempotencyCleaner } from './idempotency.cleaner.js';
export { IdempotencyKey } from './idempotency-key.entity.js';
export { RequestModule } from './request.module.js';
