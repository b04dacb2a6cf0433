import { setTimeout as delay } from 'node:timers/promises';
import type { VaultEnvironment } from '../../config/env.js';
import { WrappingUnavailableError } from './key-wrapper.js';
import { VaultToken } from './vault-token.js';

/** Maximum number of attempts for one call. */
const MAX_ATTEMPTS = 3;
/** Maximum duration of one attempt. */
const TIMEOUT_MS = 2_000;
/**
 * Minimum wait before the second attempt; it doubles for each further attempt. A random time is added, up to the wait
 * itself.
 */
const FIRST_WAIT_MS = 100;
/** Maximum `Retry-After` that a call waits for. If Vault asks for a longer wait, the call fails. */
const MAX_WAIT_MS = 1_000;
/**
 * How long calls fail immediately after a failed call, so that requests do not wait for a server that is down. A longer
 * `Retry-After` extends this time, up to `MAX_PAUSE_MS`. After a refusal, this applies only to calls with the same path:
 * otherwise, one record with a transit key that cannot be used would make all records unavailable.
 */
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** A response of Vault: the status and the JSON body. */
export type VaultAnswer = { readonly status: number; readonly body: unknown };

/** A failed attempt. `mayRecover` says whether an immediate retry may succeed. */
type Failure = { error: WrappingUnavailableError; mayRecover: boolean; retryAfterMs: number | undefined };

/** Reasons by status. They contain nothing from Vault's response, because it may repeat the request. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'Vault refuses the request: does the transit key exist, and is it of an AEAD type?',
  403: 'Vault refuses the token, or the token may not use the transit key',
  404: 'Vault has no such path: is the transit engine mounted there?',
  429: 'Vault has too many requests',
  503: 'Vault is sealed or in maintenance',
};

/** Calls the HTTP API of HashiCorp Vault or OpenBao, with timeouts and bounded retries. */
export class VaultClient {
  /** Why the last call failed; undefined if it succeeded. */
  fault: string | undefined;
  private readonly token: VaultToken;
  private pausedUntil = 0;
  private readonly refusedUntil = new Map<string, number>();

  constructor(private readonly settings: VaultEnvironment) {
    this.token = new VaultToken(settings.token);
  }

  /**
   * Sends a request, and retries it if the failure may be temporary.
   *
   * @param path the path below `/v1/`
   * @param isAnswer whether a response with an error status is a valid response to the call
   * @throws WrappingUnavailableError
   */
  async call(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    isAnswer: (answer: VaultAnswer) => boolean = () => false,
  ): Promise<VaultAnswer> {
    if (performance.now() < Math.max(this.pausedUntil, this.refusedUntil.get(path) ?? 0))
      throw new WrappingUnavailableError('vault-unavailable', this.fault ?? 'Vault has failed just now');
    for (let attempt = 1, waitMs = FIRST_WAIT_MS; ; attempt += 1, waitMs *= 2) {
      const outcome = await this.request(method, path, body, isAnswer);
      if (!('error' in outcome)) {
        this.fault = undefined;
        return outcome;
      }
      const nextMs = outcome.retryAfterMs ?? waitMs * (1 + Math.random());
      if (!outcome.mayRecover || attempt === MAX_ATTEMPTS || nextMs > MAX_WAIT_MS) throw this.fail(path, outcome);
      await delay(nextMs);
    }
  }

  private fail(path: string, { error, mayRecover, retryAfterMs }: Failure): WrappingUnavailableError {
    this.fault = error.message;
    const until = performance.now() + Math.min(Math.max(retryAfterMs ?? 0, PAUSE_MS), MAX_PAUSE_MS);
    if (mayRecover) this.pausedUntil = until;
    else this.refusedUntil.set(path, until);
    return error;
  }

  private async request(
    method: string,
    path: string,
    body: object | undefined,
    isAnswer: (answer: VaultAnswer) => boolean,
  ): Promise<VaultAnswer | Failure> {
    try {
      const { address, namespace } = this.settings;
      const response = await fetch(`${address}/v1/${path}`, {
        method,
        headers: {
          'x-vault-token': await this.token.read(),
          'x-vault-request': 'true',
          ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirect would send the token to another server.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      const answer = { status: response.status, body: parseJson(text) };
      return response.ok || isAnswer(answer) ? answer : toFailure(response);
    } catch (error) {
      return { error: toConnectionError(error), mayRecover: true, retryAfterMs: undefined };
    }
  }
}

function toFailure({ status, headers }: Response): Failure {
  const reason = REASONS[status] ?? `Vault answers ${status}`;
  return {
    error: new WrappingUnavailableError(`vault-${status}`, reason),
    // 412: this server of the Vault cluster does not know the token yet.
    mayRecover: status >= 500 || status === 429 || status === 412,
    retryAfterMs: parseRetryAfter(headers.get('retry-after')),
  };
}

function toConnectionError(error: unknown): WrappingUnavailableError {
  const { name, code, cause } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return new WrappingUnavailableError('vault-timeout', 'Vault does not answer in time');
  const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? code ?? 'unknown';
  return new WrappingUnavailableError(`vault-${reason}`, `Vault cannot be reached (${reason})`);
}

/** Vault sends the delay in seconds. A header with a date is ignored. */
function parseRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
