import { markPageChanged } from '../router.js';
import { parseDemonstrationCaller } from './demonstration-caller.js';
import { signInState, type SignedInCaller } from './sign-in.js';

/* Sign-in on a local installation, where the service itself issues tokens for the callers of its demonstration. */

const URL = '/docs/demonstration-token';

/** A token is renewed this many milliseconds before it expires. */
const RENEWAL_MARGIN_MS = 60_000;

type Token = { text: string; expiresAt: number };

/** Returns the callers of the demonstration, or undefined if this service issues no tokens. */
export async function fetchDemonstrationCallers(): Promise<readonly string[] | undefined> {
  const response = await fetch(URL);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`answered ${response.status}`);
  return ((await response.json()) as { callers: string[] }).callers;
}

/** The names are cached so that the menu can offer other callers without a request. */
let known: readonly string[] = [];

export function getCachedDemonstrationCallers(): readonly string[] {
  return known;
}

export function offerDemonstrationSignIn(callers: readonly string[]): void {
  known = callers;
  signInState.set({ kind: 'demonstration', callers });
}

/** Signs in as a caller of the demonstration. @throws Error if the service issues no token */
export async function signInAsDemonstrationCaller(name: string): Promise<void> {
  const caller = new DemonstrationCaller(name);
  await caller.getToken(false);
  markPageChanged();
  signInState.set({ kind: 'signed-in', caller });
}

class DemonstrationCaller implements SignedInCaller {
  readonly role: SignedInCaller['role'];
  readonly roles: SignedInCaller['roles'];
  private token: Token | undefined;

  constructor(readonly name: string) {
    this.role = parseDemonstrationCaller(name).role;
    this.roles = [this.role];
  }

  get id(): string {
    return this.name;
  }

  async getToken(isRefused: boolean): Promise<string> {
    if (isRefused || this.token === undefined || this.token.expiresAt - RENEWAL_MARGIN_MS < performance.now())
      this.token = await requestToken(this.name);
    return this.token.text;
  }

  async signOut(): Promise<void> {
    this.token = undefined;
    markPageChanged();
    offerDemonstrationSignIn(known);
  }
}

async function requestToken(caller: string): Promise<Token> {
  const response = await fetch(URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ caller }),
  });
  if (!response.ok) throw new Error(`answered ${response.status}`);
  const { token } = (await response.json()) as { token: string };
  return { text: token, expiresAt: performance.now() + readLifetime(token) };
}

/**
 * Returns the lifetime of a token in milliseconds, from its `iat` and `exp`. The current time is not used, because this
 * machine's clock may be wrong.
 */
function readLifetime(token: string): number {
  const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
  const { iat, exp } = JSON.parse(atob(payload)) as { iat: number; exp: number };
  return (exp - iat) * 1_000;
}
