import type { PreparedRequest } from './request.js';

const HEADER = 'consistency-token';

/**
 * The position of the last write of a client, which the service names in its response. Sent with reads, it lets the
 * service answer them from a replica that has that write. Without it, the service reads from its primary.
 */
export class ConsistencyToken {
  private token: string | undefined;
  /** The number of the last write that may have been executed, but whose position is not known. */
  private unknownWrite = 0;
  private writes = 0;

  /** Sends a request: a read with the token, a write to learn its position. */
  async follow<T extends { headers: Headers }>(request: PreparedRequest, send: () => Promise<T>): Promise<T> {
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

  /** Tokens sort by their position. Responses to simultaneous writes arrive in any order. */
  private remember(token: string): void {
    if (this.token === undefined || this.token < token) this.token = token;
  }

  /** Makes the service read from its primary until a write that begins later is answered. */
  private forget(): void {
    this.token = undefined;
    this.unknownWrite = this.writes;
  }
}

/** A dry run changes nothing, and so its response names no position. */
const isReadOnly = ({ method, url }: PreparedRequest): boolean => method === 'GET' || /[?&]dryRun=true(&|$)/.test(url);

/** A problem with a status below 500 means that this attempt has stored nothing. An earlier one may have. */
function mayHaveBeenExecuted(error: unknown): boolean {
  const { status, attempts = 1 } = error as { status?: number; attempts?: number };
  return status === undefined || status >= 500 || attempts > 1;
}
