export {
  ApplicationError,
  ConflictError,
  ContentTooLargeError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PreconditionFailedError,
  PreconditionRequiredError,
  ScheduleConflictError,
  UnauthenticatedError,
  UnprocessableError,
  UnsupportedMediaTypeError,
  type Overlaps,
  type ScheduleConflict,
  type Violation,
} from './application-error.js';
export {
  conflictCount,
  conflictSchema,
  MAX_LISTED_CONFLICTS,
  problem,
  PROBLEM_JSON,
  problemResponse,
  problemSchema,
  violationSchema,
  type Problem,
} from './problem.js';
export { ProblemFilter } from './problem.filter.js';
