import * as oauth from 'oauth4webapi';
import { storePendingSignIn, type PendingSignIn } from './pending-sign-in.js';
import type { IdentityProviderSettings } from './settings.js';
import { getRedirectUri, requireSecureEndpoint, toAudienceParameter, toTransportOptions } from './requests.js';
import { IdentityProviderTokens } from './tokens.js';

/* The authorisation code flow with PKCE. This file is loaded only if an identity provider is configured. */

/** Redirects the browser to the identity provider's sign-in page. */
export async function requestAuthorization(settings: IdentityProviderSettings, returnTo: string): Promise<void> {
  const { url, pending } = await prepareAuthorization(settings, returnTo);
  storePendingSignIn(pending);
  window.location.assign(url);
}

/** Returns the URL of the identity provider's sign-in page, and the secrets of this attempt. */
export async function prepareAuthorization(
  settings: IdentityProviderSettings,
  returnTo: string,
): Promise<{ url: string; pending: PendingSignIn }> {
  const server = await discover(settings);
  const pending: PendingSignIn = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    returnTo,
  };
  const url = new URL(requireSecureEndpoint(server.authorization_endpoint, settings));
  const parameters = {
    client_id: settings.clientId,
    response_type: 'code',
    redirect_uri: getRedirectUri(),
    scope: settings.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...toAudienceParameter(settings),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, pending };
}

/**
 * Exchanges the code for tokens. Checks state, issuer, nonce and the claims of the ID token.
 *
 * @param answer the parameters of the provider's redirect back to the console
 * @throws if the provider refuses, or if a check fails
 */
export async function completeAuthorization(
  settings: IdentityProviderSettings,
  pending: PendingSignIn,
  answer: URLSearchParams,
): Promise<IdentityProviderTokens> {
  const server = await discover(settings);
  const client = { client_id: settings.clientId };
  const parameters = oauth.validateAuthResponse(server, client, answer, pending.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    getRedirectUri(),
    pending.verifier,
    { ...toTransportOptions(settings), additionalParameters: toAudienceParameter(settings) },
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: pending.nonce,
    requireIdToken: true,
  });
  return new IdentityProviderTokens(settings, server, tokens);
}

async function discover(settings: IdentityProviderSettings): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(settings.issuer);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, toTransportOptions(settings)));
}
