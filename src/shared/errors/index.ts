export {
  ApplicationError,
  ConflictError,
  ContentTooLargeError,
  ForbiddenError,
  InvalidRequestError,
  KeysUnavailableError,
  MAX_VIOLATIONS,
  NotFoundError,
  NotReadyError,
  PreconditionFailedError,
  PreconditionRequiredError,
  SyncTokenExpiredError,
  TooManyRequestsError,
  TransactionTooLongError,
  UnauthenticatedError,
  UnknownSecretLinkError,
  UnprocessableError,
  type Violation,
} from './application-error.js';
export { findErrorCode, getErrorClassName } from './error-class.js';
export { summarizeError } from './error-summary.js';
export { isLostConnection } from './lost-connection.js';
export { requireVersion, type ExpectedVersion } from './require-version.js';
export { findRootCause, firstLine } from './root-cause.js';
export { findResponseError } from './response-error.js';
export {
  createProblem,
  PROBLEM_JSON_MEDIA_TYPE,
  createProblemResponse,
  createProblemSchema,
  violationSchema,
  type Problem,
} from './problem.js';
export { ProblemFilter } from './problem.filter.js';
