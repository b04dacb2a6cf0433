import { listDemonstrationCallers, offerDemonstrationSignIn } from './demonstration-sign-in.js';
import { startProviderSignIn } from './provider/provider-sign-in.js';
import { readProviderSettings } from './provider/provider-settings.js';
import { signInState } from './sign-in.js';

/** Finds out how callers of this service sign in, and starts the sign-in. */
export async function startSignIn(): Promise<void> {
  signInState.set({ kind: 'starting' });
  try {
    const provider = await readProviderSettings();
    if (provider === undefined) await startDemonstration();
    else await startProviderSignIn(provider);
  } catch {
    signInState.set({ kind: 'unreachable' });
  }
}

async function startDemonstration(): Promise<void> {
  const callers = await listDemonstrationCallers();
  if (callers === undefined) signInState.set({ kind: 'impossible' });
  else offerDemonstrationSignIn(callers);
}
