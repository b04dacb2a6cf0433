export {
  ApplicationError,
  ConflictError,
  ContentTooLargeError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PreconditionFailedError,
  PreconditionRequiredError,
  UnauthenticatedError,
  UnprocessableError,
  UnsupportedMediaTypeError,
  type Violation,
} from './application-error.js';
export { problem, PROBLEM_JSON, problemResponse, problemSchema, violationSchema } from './problem.js';
export { ProblemFilter } from './problem.filter.js';
