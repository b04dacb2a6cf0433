import { createStore } from '../store.js';
import type { SignInNotice, IdentityProviderSettings } from './identity-provider/settings.js';

export type Role = 'ADMIN' | 'CLINIC' | 'CARE_PROVIDER' | 'CLIENT';

/** The signed-in caller. The access token is kept only in this object's memory. */
export interface SignedInCaller {
  /** Identifies the caller, so that the cached data of different callers is kept apart. */
  readonly id: string;
  /** The role in use, which the typed client sends as `Acting-Role`. */
  readonly role: Role;
  /** All roles that the caller may choose. */
  readonly roles: readonly Role[];
  /** The name shown in the header. */
  readonly name: string;
  /** Returns an access token. @param isRefused whether the service has refused the last one, so that a new one is needed */
  getToken(isRefused: boolean): Promise<string>;
  /** Switches to another role. Absent for demonstration callers. */
  readonly actAs?: (role: Role) => void;
  signOut(): Promise<void>;
}

export type SignInState =
  | { kind: 'starting' }
  /** The service runs on this machine and offers the callers of the demonstration. */
  | { kind: 'demonstration'; callers: readonly string[] }
  /** An identity provider is configured. */
  | { kind: 'provider'; settings: IdentityProviderSettings; notice?: SignInNotice }
  /** The identity provider has signed in a caller with several roles, who must choose one. */
  | { kind: 'roles'; roles: readonly Role[]; choose: (role: Role) => void }
  /** The service has no identity provider and offers no demonstration callers. */
  | { kind: 'impossible' }
  | { kind: 'unreachable' }
  | { kind: 'signed-in'; caller: SignedInCaller };

export const signInState = createStore<SignInState>({ kind: 'starting' });

/** Returns the signed-in caller. Pages are shown only to signed-in callers. */
export function requireSignedInCaller(): SignedInCaller {
  const state = signInState.get();
  if (state.kind !== 'signed-in') throw new Error('The caller is not signed in.');
  return state.caller;
}
