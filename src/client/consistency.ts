import type { PreparedRequest } from './request.js';

const HEADER = 'consistency-token';

/**
 * Remembers the position of the client's last write, which the service returns as a token. Reads send the token, so
 * that a replica may answer them if it has already received that write. Reads without a token are answered by the
 * primary.
 */
export class ConsistencyToken {
  private token: string | undefined;
  /**
   * The number of the last write that had been sent when the position of a write was lost. Positions of writes up to
   * this number are ignored, because they may be earlier than the lost one.
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
   * Keeps the later position. Responses to concurrent writes arrive in any order, and tokens sort as strings by their
   * position.
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

/** Returns true for requests whose response contains no position. A dry run changes nothing, so it counts as a read. */
const isReadOnly = ({ method, url }: PreparedRequest): boolean => method === 'GET' || /[?&]dryRun=true(&|$)/.test(url);

/**
 * Returns whether a failed write may have been executed. A status below 500 rules this out for the last attempt only;
 * an earlier attempt may have been executed.
 */
function mayHaveBeenExecuted(error: unknown): boolean {
  const { status, attempts = 1 } = error as { status?: number; attempts?: number };
  return status === undefined || status >= 500 || attempts > 1;
}
