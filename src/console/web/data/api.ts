import { createClient, type CareSchedulingClient } from '@care-scheduling/client';
import { requireSignedInCaller, type SignedInCaller } from '../app/sign-in/sign-in.js';
import { createConditionalFetch } from './conditional-fetch.js';

const clients = new WeakMap<SignedInCaller, CareSchedulingClient>();

/** Returns the typed client for the signed-in caller. */
export function getApi(): CareSchedulingClient {
  const caller = requireSignedInCaller();
  const existing = clients.get(caller);
  if (existing !== undefined) return existing;
  let isFirst = true;
  const created = createClient({
    baseUrl: window.location.origin,
    // The client calls this function before its first request, and again whenever the service refuses a token.
    token: () => {
      const isRefused = !isFirst;
      isFirst = false;
      return caller.getToken(isRefused);
    },
    fetch: withCurrentToken(caller, createConditionalFetch()),
    // The client gives up after a few seconds, so that the user sees the error and can try again.
    retry: { limit: 2, maxTime: 8_000 },
  });
  clients.set(caller, created);
  return created;
}

/** The client caches a token until it is refused. This wrapper replaces a token that is about to expire. */
function withCurrentToken(caller: SignedInCaller, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const authorization = `Bearer ${await caller.getToken(false)}`;
    return send(input, { ...init, headers: { ...(init?.headers as Record<string, string>), authorization } });
  };
}
