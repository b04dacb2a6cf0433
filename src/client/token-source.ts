import type { ClientOptions } from './operation.js';

/** Caches the access token, and fetches a new one after the service has refused it. */
export class TokenSource {
  private current: Promise<string> | undefined;

  constructor(private readonly token: ClientOptions['token']) {}

  /** Whether a new token can be fetched. */
  get isRenewable(): boolean {
    return typeof this.token === 'function';
  }

  /**
   * Returns the cached token, or fetches a new one if the cached one was refused. Concurrent calls share one renewal.
   *
   * @param refused the promise of the token that was refused
   */
  get(refused?: Promise<string>): Promise<string> {
    if (this.current === undefined || this.current === refused) {
      const fetched = this.fetch();
      this.current = fetched;
      // If fetching the token has failed, the next request tries again.
      fetched.catch(() => {
        if (this.current === fetched) this.current = undefined;
      });
    }
    return this.current;
  }

  private async fetch(): Promise<string> {
    return typeof this.token === 'function' ? this.token() : this.token;
  }
}
