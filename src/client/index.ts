export type { ApiCall, ApiResponse, ListCall } from './api-call.js';
export { createClient, type CareSchedulingClient } from './client.js';
export type * from './generated.js';
export type { CallOptions, ClientOptions, Created, RetryOptions } from './operation.js';
export {
  ConnectionError,
  isProblem,
  ProblemError,
  TimeoutError,
  type AnyProblemError,
  type FieldError,
  type ProblemCode,
} from './problem-error.js';
export type { Version } from './versions.js';
