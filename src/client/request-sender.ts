import type { ApiResponse } from './api-promise.js';
import {
  DEFAULT_RETRY_OPTIONS,
  DEFAULT_ATTEMPT_TIMEOUT_MS,
  type CallOptions,
  type ClientOptions,
  type RetryOptions,
} from './operation.js';
import { ConsistencyTokenStore } from './consistency-token-store.js';
import { ConnectionError, TimeoutError, toProblemError } from './problem-error.js';
import type { PreparedRequest } from './request.js';
import { toApiResponse } from './response.js';
import { computeRetryDelay, limitTimerDelay, parseRetryAfter, sleep, waitUntilAborted } from './retry.js';
import { TokenSource } from './token-source.js';

/** If `isStreamed` is true, the body of a successful response is not read here. */
type SentRequest = PreparedRequest & { isStreamed?: boolean };

/** The outcome of one attempt. `text` is empty if the body has not been read. */
type Outcome = { response: Response; text: string } | { failure: unknown; isTimeout: boolean };
type Success = { response: Response; text: string; attempts: number };

type AttemptOptions = { timeout: number; signal?: AbortSignal | undefined };

/** Sends requests with a token, and retries them if a retry is safe and may succeed. */
export class RequestSender {
  private readonly tokens: TokenSource;
  private readonly consistency = new ConsistencyTokenStore();

  constructor(private readonly options: ClientOptions) {
    this.tokens = new TokenSource(options.token);
  }

  /** Sends a request and parses its response. @throws ProblemError, ConnectionError, or the reason of the signal */
  send(request: PreparedRequest, options: CallOptions): Promise<ApiResponse<unknown>> {
    return this.consistency.sendWithToken(request, async () => {
      const { response, text, attempts } = await this.execute(request, options);
      return toApiResponse(response, text, attempts);
    });
  }

  /**
   * Like `send`, but returns the response as soon as its headers have been received. The timeout does not cover the
   * body, and a failure while the body is read is not retried.
   */
  open(request: PreparedRequest, options: CallOptions): Promise<Response> {
    return this.consistency.sendWithToken(
      request,
      async () => (await this.execute({ ...request, isStreamed: true }, options)).response,
    );
  }

  private async execute(request: SentRequest, options: CallOptions): Promise<Success> {
    const policy = { ...DEFAULT_RETRY_OPTIONS, ...this.options.retry, ...options.retry };
    const start = performance.now();
    for (let attempts = 1; ; attempts += 1) {
      const timeout = options.timeout ?? this.options.timeout ?? DEFAULT_ATTEMPT_TIMEOUT_MS;
      const left = attempts === 1 ? timeout : policy.maxTime - (performance.now() - start);
      const outcome = await this.attempt(request, { ...options, timeout: Math.min(timeout, left) });
      if ('response' in outcome && isSuccess(outcome.response)) return { ...outcome, attempts };
      const delay = findDelay(outcome, request, policy, attempts);
      if (delay === undefined || performance.now() - start + delay > policy.maxTime) throw toError(outcome, attempts);
      await sleep(delay, options.signal);
    }
  }

  /** Sends the request. If the token is refused, sends it once more with a new token. */
  private async attempt(request: SentRequest, options: AttemptOptions): Promise<Outcome> {
    const { signal } = options;
    const token = this.tokens.get();
    const outcome = await this.exchange(request, await waitUntilAborted(token, signal), options);
    if (!('response' in outcome) || outcome.response.status !== 401 || !this.tokens.isRenewable) return outcome;
    return this.exchange(request, await waitUntilAborted(this.tokens.get(token), signal), options);
  }

  private async exchange(request: SentRequest, token: string, { timeout, signal }: AttemptOptions): Promise<Outcome> {
    signal?.throwIfAborted();
    const { fetch: send = fetch } = this.options;
    const { url, method, body, isStreamed = false } = request;
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), limitTimerDelay(timeout));
    // The caller's signal can also abort a streamed body, which is read later. No listener stays on the signal.
    const either = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
    try {
      const response = await send(url, { method, headers, body: body ?? null, signal: either });
      return { response, text: isStreamed && response.ok ? '' : await response.text() };
    } catch (failure) {
      signal?.throwIfAborted();
      return { failure, isTimeout: controller.signal.aborted };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A 304 response means that the caller's copy is current, so it is a success. */
const isSuccess = ({ ok, status }: Response): boolean => ok || status === 304;

/** Returns the delay before the next attempt in milliseconds, or undefined if there is none. */
function findDelay(
  outcome: Outcome,
  request: PreparedRequest,
  policy: RetryOptions,
  retry: number,
): number | undefined {
  if (retry > policy.limit || !canRetry(outcome, request)) return undefined;
  return computeRetryDelay(policy, { retry, retryAfter: readRetryAfter(outcome), random: Math.random() });
}

/**
 * Whether a retry is safe and may succeed. After 429, nothing was executed. After a connection failure, 502, 503 or
 * 504, it is unknown whether the request was executed. 409 with `request-in-flight` means that the previous attempt is
 * still in progress.
 */
function canRetry(outcome: Outcome, { isRepeatable }: PreparedRequest): boolean {
  if (!('response' in outcome)) return isRepeatable;
  const { status } = outcome.response;
  if (status === 429) return true;
  if (status === 409) return isRepeatable && outcome.text.includes('"urn:problem:request-in-flight"');
  return isRepeatable && [502, 503, 504].includes(status);
}

/** Compares dates with the server's clock, because the clock of this machine may be wrong. */
function readRetryAfter(outcome: Outcome): number | undefined {
  if (!('response' in outcome)) return undefined;
  const { headers } = outcome.response;
  const serverTime = Date.parse(headers.get('date') ?? '');
  return parseRetryAfter(headers.get('retry-after'), Number.isNaN(serverTime) ? Date.now() : serverTime);
}

function toError(outcome: Outcome, attempts: number): Error {
  if ('response' in outcome) return toProblemError(outcome.response, outcome.text, attempts);
  return outcome.isTimeout
    ? new TimeoutError('The service has not answered in time.', attempts, outcome.failure)
    : new ConnectionError('The service could not be reached.', attempts, outcome.failure);
}
