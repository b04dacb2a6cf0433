export {
  ApplicationError,
  ConflictError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PreconditionFailedError,
  PreconditionRequiredError,
  UnauthenticatedError,
  UnprocessableError,
  type Violation,
} from './application-error.js';
export { problem, PROBLEM_JSON, problemResponse, problemSchema } from './problem.js';
export { ProblemFilter } from './problem.filter.js';
