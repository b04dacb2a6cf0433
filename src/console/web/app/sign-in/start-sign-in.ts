import { fetchDemonstrationCallers, offerDemonstrationSignIn } from './demonstration-sign-in.js';
import { completeOrOfferSignIn } from './identity-provider/identity-provider-sign-in.js';
import { fetchIdentityProviderSettings } from './identity-provider/settings.js';
import { signInState } from './sign-in.js';

/** Finds out how callers of this service sign in, and starts the sign-in. */
export async function startSignIn(): Promise<void> {
  signInState.set({ kind: 'starting' });
  try {
    const provider = await fetchIdentityProviderSettings();
    if (provider === undefined) await startDemonstration();
    else await completeOrOfferSignIn(provider);
  } catch {
    signInState.set({ kind: 'unreachable' });
  }
}

async function startDemonstration(): Promise<void> {
  const callers = await fetchDemonstrationCallers();
  if (callers === undefined) signInState.set({ kind: 'impossible' });
  else offerDemonstrationSignIn(callers);
}
