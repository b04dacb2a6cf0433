import type { ClientOptions } from './operation.js';

/** Keeps the access token, and gets a new one when it was refused. */
export class TokenSource {
  private current: Promise<string> | undefined;

  constructor(private readonly token: ClientOptions['token']) {}

  /** Whether another token can be had. */
  get isRenewable(): boolean {
    return typeof this.token === 'function';
  }

  /**
   * Calls that are refused at the same time share one renewal.
   *
   * @param refused the promise of the token that was refused
   */
  get(refused?: Promise<string>): Promise<string> {
    if (this.current === undefined || this.current === refused) {
      const fetched = this.fetch();
      this.current = fetched;
      // A token that could not be fetched is fetched again for the next request.
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
