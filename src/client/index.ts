export type {
  ApiPromise,
  ApiResponse,
  ExportPromise,
  ExportLine,
  ExportMediaType,
  ListPromise,
} from './api-promise.js';
export { createClient, type CareSchedulingClient } from './client.js';
export type * from './generated.js';
export type {
  CallOptions,
  ClientOptions,
  Created,
  PreferMinimal,
  PreferRepresentation,
  PreferStrict,
  RetryOptions,
} from './operation.js';
export {
  ConnectionError,
  isProblem,
  PROBLEM_CODES,
  ProblemError,
  TimeoutError,
  type AnyProblemError,
  type FieldError,
  type ProblemCode,
} from './problem-error.js';
export { synchronise, type SyncInput, type SyncStep } from './synchronise.js';
export type { RecordVersion } from './record-versions.js';
