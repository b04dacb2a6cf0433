// Public interface of this module. Other modules import nothing else from it.
export { IdempotencyCleaner } from './idempotency.cleaner.js';
export { IdempotencyKey } from './idempotency-key.entity.js';
export { RequestModule } from './request.module.js';
export { STORED_RESPONSE_ROWS_TO_ERASE } from './idempotency-erasure.js';
