import { allowInsecureRequests } from 'oauth4webapi';
import type { IdentityProviderSettings } from './settings.js';

/* Parameters and checks that all requests to the identity provider have in common. */

/** The redirect URI. It must be registered with the provider in exactly this form. */
export function getRedirectUri(): string {
  return `${window.location.origin}/`;
}

/**
 * Allows HTTP for a provider on this machine, as in tests. At startup, the service refuses any other provider without
 * TLS.
 */
export function toTransportOptions({ issuer }: IdentityProviderSettings) {
  return { [allowInsecureRequests]: new URL(issuer).protocol === 'http:' };
}

export function toAudienceParameter({ audience }: IdentityProviderSettings): Record<string, string> {
  return audience === undefined ? {} : { [audience.parameter]: audience.value };
}

/**
 * Returns a URL of the provider that the browser may open. @throws Error if the URL is absent, or if it uses HTTP
 * although the issuer uses HTTPS
 */
export function requireSecureEndpoint(endpoint: string | undefined, { issuer }: IdentityProviderSettings): string {
  const protocols = new Set(['https:', new URL(issuer).protocol]);
  if (endpoint !== undefined && protocols.has(new URL(endpoint).protocol)) return endpoint;
  throw new Error('The identity provider names no valid address.');
}
