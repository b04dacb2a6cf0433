import { createStore } from '../../store.js';
import type { IdentityProviderSettings } from './settings.js';
import type { IdentityProviderTokens } from './tokens.js';

/** The sign-in of a caller that has ended while a page has unsaved changes. The page stays, and a banner shows this. */
export type EndedSignIn = {
  settings: IdentityProviderSettings;
  /** Continues with new tokens. Returns false if they belong to another account. */
  resume(tokens: IdentityProviderTokens): boolean;
};

export const endedSignIn = createStore<EndedSignIn | undefined>(undefined);
