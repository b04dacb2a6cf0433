export {
  ApplicationError,
  ConflictError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PreconditionFailedError,
  PreconditionRequiredError,
  ScheduleConflictError,
  UnauthenticatedError,
  UnprocessableError,
  type ScheduleConflict,
  type Violation,
} from './application-error.js';
export { conflictSchema, problem, PROBLEM_JSON, problemResponse, problemSchema } from './problem.js';
export { ProblemFilter } from './problem.filter.js';
