import type { PreparedRequest } from './request.js';

const HEADER = 'consistency-token';

/**
 * Stores the token that the service has returned for the client's last write. Reads send this token, so that a replica
 * answers them only if it already has that write. The primary answers reads without a token.
 */
export class ConsistencyTokenStore {
  private token: string | undefined;
  /**
   * The number of the write that had been sent last when a write failed to return its token. Tokens of writes up to this
   * number are ignored, because they may be older than the missing one.
   */
  private unknownWrite = 0;
  private writes = 0;

  /** Sends a request. A read sends the token; the response to a write updates it. */
  async sendWithToken<T extends { headers: Headers }>(request: PreparedRequest, send: () => Promise<T>): Promise<T> {
    if (request.method === 'GET' && this.token !== undefined) request.headers[HEADER] = this.token;
    if (isReadOnly(request)) return send();
    this.writes += 1;
    const number = this.writes;
    const response = await send().catch((error: unknown) => {
      if (mayHaveBeenExecuted(error)) this.forget();
      throw error;
    });
    const token = response.headers.get(HEADER);
    if (token === null) this.forget();
    else if (number > this.unknownWrite) this.remember(token);
    return response;
  }

  /**
   * Stores a token unless a newer one is stored. Responses to concurrent writes arrive in any order. As strings, tokens
   * sort by the time of their writes.
   */
  private remember(token: string): void {
    if (this.token === undefined || this.token < token) this.token = token;
  }

  /**
   * Discards the token. The primary then answers all reads, until the response to a write that is sent later arrives.
   */
  private forget(): void {
    this.token = undefined;
    this.unknownWrite = this.writes;
  }
}

/** Returns true for requests whose response contains no token. A dry run changes nothing, so it counts as a read. */
const isReadOnly = ({ method, url }: PreparedRequest): boolean => method === 'GET' || /[?&]dryRun=true(&|$)/.test(url);

/**
 * Whether the service may have executed a write although the client got an error. With a status below 500, the service
 * has refused the last attempt, but it may have executed an earlier one.
 */
function mayHaveBeenExecuted(error: unknown): boolean {
  const { status, attempts = 1 } = error as { status?: number; attempts?: number };
  return status === undefined || status >= 500 || attempts > 1;
}
