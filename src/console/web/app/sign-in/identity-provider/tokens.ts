import * as oauth from 'oauth4webapi';
import { getRedirectUri, requireSecureEndpoint, toAudienceParameter, toTransportOptions } from './requests.js';
import { SignInEndedError, type IdentityProviderSettings } from './settings.js';

/**
 * A token is renewed when this share of its lifetime remains, or `most` milliseconds before it expires, whichever is
 * later.
 */
const RENEWAL_MARGIN = { share: 0.2, most: 60_000 };

/** How long a sign-out waits for a renewal that has begun. */
const SIGN_OUT_WAIT_MS = 5_000;

/** The tokens of one caller. They are stored in private fields, so that other scripts on the page cannot read them. */
export class IdentityProviderTokens {
  readonly subject: string;
  readonly name: string | undefined;
  #access!: string;
  #refresh: string | undefined;
  /** When the access token is to be renewed, in milliseconds of `performance.now()`. */
  #renewAt!: number;
  #renewal: Promise<void> | undefined;

  constructor(
    private readonly settings: IdentityProviderSettings,
    private readonly server: oauth.AuthorizationServer,
    tokens: oauth.TokenEndpointResponse,
  ) {
    const claims = oauth.getValidatedIdTokenClaims(tokens)!;
    this.subject = claims.sub;
    this.name = [claims['name'], claims['preferred_username'], claims['email']].find(
      (value): value is string => typeof value === 'string' && value !== '',
    );
    this.take(tokens);
  }

  /**
   * Returns the access token, and renews it if it expires soon.
   *
   * @param isRefused whether the service has refused the token, which is then renewed in any case
   */
  async getAccessToken(isRefused = false): Promise<string> {
    if (isRefused || performance.now() >= this.#renewAt) await this.renew();
    return this.#access;
  }

  /**
   * Concurrent calls share one renewal. Otherwise, they would use the same refresh token twice, which providers treat
   * as theft.
   */
  private renew(): Promise<void> {
    this.#renewal ??= this.requestRenewal().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  private async requestRenewal(): Promise<void> {
    if (this.#refresh === undefined) throw new SignInEndedError();
    const client = { client_id: this.settings.clientId };
    const response = await oauth.refreshTokenGrantRequest(this.server, client, oauth.None(), this.#refresh, {
      ...toTransportOptions(this.settings),
      additionalParameters: toAudienceParameter(this.settings),
    });
    try {
      const tokens = await oauth.processRefreshTokenResponse(this.server, client, response);
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      if (claims !== undefined && claims.sub !== this.subject) throw new SignInEndedError();
      this.take(tokens);
    } catch (error) {
      // The provider may be overloaded, and may accept the same refresh token later.
      if (response.status >= 500 || response.status === 429)
        throw new TypeError('The identity provider does not answer.', { cause: error });
      this.#refresh = undefined;
      throw new SignInEndedError('', { cause: error });
    }
  }

  /** Forgets the tokens, revokes the refresh token, and ends the session at the provider. */
  async signOut(): Promise<void> {
    // The provider may have rotated the refresh token already, and the new one must be revoked.
    const timeout = new Promise((resolve) => setTimeout(resolve, SIGN_OUT_WAIT_MS));
    await Promise.race([this.#renewal?.catch(() => undefined), timeout]);
    const refresh = this.#refresh;
    [this.#access, this.#refresh] = ['', undefined];
    if (refresh !== undefined && this.server.revocation_endpoint !== undefined) {
      const client = { client_id: this.settings.clientId };
      const options = {
        ...toTransportOptions(this.settings),
        additionalParameters: { token_type_hint: 'refresh_token' },
      };
      // Sign-out continues even if the token cannot be revoked.
      await oauth.revocationRequest(this.server, client, oauth.None(), refresh, options).catch(() => undefined);
    }
    if (this.server.end_session_endpoint === undefined) return;
    const url = new URL(requireSecureEndpoint(this.server.end_session_endpoint, this.settings));
    // Omits `id_token_hint`, because it would put a token in a URL. Some providers ask for confirmation instead.
    url.searchParams.set('client_id', this.settings.clientId);
    url.searchParams.set('post_logout_redirect_uri', getRedirectUri());
    window.location.assign(url.href);
  }

  private take(tokens: oauth.TokenEndpointResponse): void {
    this.#access = tokens.access_token;
    // If the provider rotates refresh tokens, the response contains a new one, and the previous one is invalid.
    this.#refresh = tokens.refresh_token ?? this.#refresh;
    const lifetime = (tokens.expires_in ?? Infinity) * 1_000;
    this.#renewAt = performance.now() + lifetime - Math.min(lifetime * RENEWAL_MARGIN.share, RENEWAL_MARGIN.most);
  }
}
