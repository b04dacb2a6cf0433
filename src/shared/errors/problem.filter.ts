import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CLIENT_DATA_CACHE_CONTROL } from '../http/cache-control.js';
import { chooseMediaType, NDJSON_MEDIA_TYPE } from '../http/media-type.js';
import { summarizeError } from './error-summary.js';
import { isLostConnection } from './lost-connection.js';
import { storeResponseError } from './response-error.js';
import {
  ApplicationError,
  ConflictError,
  ContentTooLargeError,
  ForbiddenError,
  InvalidRequestError,
  KeysUnavailableError,
  NotFoundError,
  NotReadyError,
  PreconditionFailedError,
  PreconditionRequiredError,
  SyncTokenExpiredError,
  TooManyRequestsError,
  TransactionTooLongError,
  UnauthenticatedError,
  UnprocessableError,
} from './application-error.js';
import { isDatabaseFault, isUnusableConnection } from '../persistence/health/sqlstate.js';
import { createProblem, PROBLEM_JSON_MEDIA_TYPE, type ProblemInput } from './problem.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Renders an error as a page, for requests that a browser sends when a person opens the URL of the operation. */
    renderErrorPage?: (status: number, request: FastifyRequest) => string;
  }
}

type ProblemAnswer = ProblemInput & { headers?: Record<string, string> };

/**
 * The status for each class of errors and its subclasses. No class in this list is a subclass of another class in the
 * list.
 */
const STATUS_BY_ERROR = [
  [InvalidRequestError, 400],
  [UnauthenticatedError, 401],
  [ForbiddenError, 403],
  [NotFoundError, 404],
  [ConflictError, 409],
  [SyncTokenExpiredError, 410],
  [PreconditionFailedError, 412],
  [ContentTooLargeError, 413],
  [UnprocessableError, 422],
  [PreconditionRequiredError, 428],
  [TooManyRequestsError, 429],
  [TransactionTooLongError, 503],
  [NotReadyError, 503],
  [KeysUnavailableError, 503],
] as const;

/** The `detail` for framework errors. Contains nothing that the caller sent. */
const DETAILS: Readonly<Record<number, string>> = {
  400: 'The request is malformed.',
  404: 'There is no such resource.',
  408: 'The request took too long to arrive.',
  413: 'The body is larger than this operation reads.',
  414: 'The URL is too long.',
  431: 'The request has too many headers.',
  503: 'The service cannot answer right now. Try again.',
};

/** The SQLSTATE with which triggers refuse changes to a Clinic that is moved away (migration "clinic-move"). */
const CLINIC_MOVED = 'CM409';
const MOVED = 'The Clinic has moved to another installation, or is moving. Nothing was changed here.';

/** Headers of a success. The handler may have set them before its transaction failed. */
const HEADERS_OF_SUCCESS = ['content-disposition', 'etag', 'link', 'location'];

const RETRY_SOON = { 'retry-after': '5' };
const UNAVAILABLE: ProblemAnswer = { status: 503, detail: DETAILS[503]!, headers: RETRY_SOON };

/** Maps all errors to HTTP responses with RFC 9457 problem details (docs/decisions.md, "Errors"). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const outcome = toProblemAnswer(error, request);
    storeResponseError(request, error);
    // The error message may contain SQL with Client data, so only the class, the code and the stack frames are logged.
    if (outcome.status === 503 && isUnusableConnection(readString(error, 'code') ?? ''))
      this.logger.error({ requestId: request.id, ...summarizeError(error) }, 'the database cannot serve');
    if (outcome.status === 500)
      this.logger.error({ requestId: request.id, ...summarizeError(error) }, 'unexpected error');
    for (const name of HEADERS_OF_SUCCESS) reply.removeHeader(name);
    reply.status(outcome.status).headers({ ...createCacheHeaders(error, request), ...outcome.headers });
    const { renderErrorPage } = request.routeOptions.config;
    if (renderErrorPage !== undefined && prefersPage(request))
      void reply.type('text/html; charset=utf-8').send(renderErrorPage(outcome.status, request));
    else
      void reply
        .type(PROBLEM_JSON_MEDIA_TYPE)
        .send(JSON.stringify(createProblem({ ...outcome, requestId: request.id })));
  }
}

/** Whether the request is one of a browser, which prefers HTML. */
function prefersPage({ headers }: FastifyRequest): boolean {
  return chooseMediaType(headers.accept, [PROBLEM_JSON_MEDIA_TYPE, 'text/html']) === 'text/html';
}

/** Prevents caching of error responses that may contain Client data. */
function createCacheHeaders(error: unknown, { routeOptions }: FastifyRequest): Record<string, string> {
  const isShown = error instanceof ApplicationError && error.clientData !== undefined;
  return isShown || routeOptions.config.operation?.clientData ? { 'cache-control': CLIENT_DATA_CACHE_CONTROL } : {};
}

function toProblemAnswer(error: unknown, request: FastifyRequest): ProblemAnswer {
  if (error instanceof ApplicationError) return fromApplicationError(error, request);
  const status = error instanceof HttpException ? error.getStatus() : readNumber(error, 'statusCode');
  if (status === 503) return UNAVAILABLE;
  if (status !== undefined && status >= 400 && status < 500) {
    return { status, detail: describeStatus(status, request) };
  }
  return fromDatabaseError(error) ?? { status: 500, detail: 'The service has failed to answer this request.' };
}

function describeStatus(status: number, { routeOptions }: FastifyRequest): string {
  if (status !== 415) return DETAILS[status] ?? 'The request cannot be answered.';
  const mediaType = routeOptions.config.readsNdjson ? NDJSON_MEDIA_TYPE : 'application/json';
  return `The body must be sent as ${mediaType} in UTF-8, without a content coding.`;
}

function fromApplicationError(error: ApplicationError, request: FastifyRequest): ProblemAnswer {
  const status = STATUS_BY_ERROR.find(([type]) => error instanceof type)?.[1] ?? 500;
  const { code, message, violations, clientData } = error;
  const { operation } = request.routeOptions.config;
  const errors = violations.map(({ pointer, detail }) => ({
    pointer: operation?.toSentPointer(request.body, pointer) ?? pointer,
    detail,
  }));
  const outcome: ProblemAnswer = { status, code, detail: message, errors, extensions: clientData };
  if (error instanceof TooManyRequestsError) outcome.headers = { 'retry-after': String(error.retryAfterSeconds) };
  if (status === 503) outcome.headers = RETRY_SOON;
  if (status === 401) {
    const challenge = request.headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
    outcome.headers = { 'www-authenticate': challenge };
  }
  return outcome;
}

/** Maps lost connections and unhandled database errors by SQLSTATE (PostgreSQL, appendix A). */
function fromDatabaseError(error: unknown): ProblemAnswer | undefined {
  const code = readString(error, 'code');
  if (code === undefined) return isLostConnection(error) ? UNAVAILABLE : undefined;
  if (code === CLINIC_MOVED) return { status: 409, code: 'clinic-moved', detail: MOVED };
  if (/^22...$/.test(code)) return { status: 400, detail: 'A value of the request cannot be stored.' };
  if (/^23505$/.test(code)) return { status: 409, detail: 'Another record has this value already.' };
  if (isDatabaseFault(code) || /^(ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(code))
    return UNAVAILABLE;
  return undefined;
}

function readString(error: unknown, key: string): string | undefined {
  const value: unknown = error instanceof Object ? Reflect.get(error, key) : undefined;
  return typeof value === 'string' ? value : undefined;
}

function readNumber(error: unknown, key: string): number | undefined {
  const value: unknown = error instanceof Object ? Reflect.get(error, key) : undefined;
  return typeof value === 'number' ? value : undefined;
}
