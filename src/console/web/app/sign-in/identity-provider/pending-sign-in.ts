/*
 * The secrets of one sign-in attempt, which are stored while the browser shows the identity provider's page. They are
 * not tokens, and they are useless without the code that the provider returns to this tab. They are removed before the
 * code is used, and whenever the console starts.
 */

export type PendingSignIn = {
  state: string;
  nonce: string;
  /** Proves that the tab that uses the code is the one that requested it (RFC 7636). */
  verifier: string;
  /** The route that the user wanted to open. */
  returnTo: string;
};

const KEY = 'care-scheduling.sign-in';

/** Stores the attempt in the session storage of the tab. @throws DOMException if the browser does not allow storage */
export function storePendingSignIn(pending: PendingSignIn): void {
  sessionStorage.setItem(KEY, JSON.stringify(pending));
}

/** Returns and removes the stored attempt. */
export function takePendingSignIn(): PendingSignIn | undefined {
  try {
    const kept = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return kept === null ? undefined : (JSON.parse(kept) as PendingSignIn);
  } catch {
    return undefined;
  }
}
