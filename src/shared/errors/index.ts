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
  TooManyRequestsError,
  UnauthenticatedError,
  UnprocessableError,
  type ScheduleConflict,
  UnsupportedMediaTypeError,
  type Violation,
} from './application-error.js';
export {
  conflictSchema,
  problem,
  PROBLEM_JSON,
  problemResponse,
  problemSchema,
  violationSchema,
  type Problem,
} from './problem.js';
export { ProblemFilter } from './problem.filter.js';
