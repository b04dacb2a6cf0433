import { Injectable } from '@nestjs/common';
import type { JWTHeaderParameters } from 'jose';
import { KeyObject, type webcrypto } from 'node:crypto';
import type { Principal } from '../../shared/access/index.js';
import { Environment, type TokenEnvironment } from '../../shared/config/env.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { setActor } from '../../shared/http/index.js';
import { getSystemTimeMs } from '../../shared/time/index.js';
import { ACTING_ROLE_HEADER, readActingRole } from '../token/acting-role.js';
import type { BearerRequest } from '../token/bearer-token.js';
import { DenyList, type RevocableToken } from '../revocation/deny-list.js';
import { toHolderKeys, toSubjectKey } from '../revocation/token-holder.js';
import { JwtStrategy, type TokenChecks, type VerifiableRequest } from './jwt.strategy.js';
import { JsonWebKeySet } from '../keys/json-web-key-set.js';
import { setIssueTime } from '../token/issue-time.js';
import { toRefusalError, createRefusalError } from '../token/token-refusal.js';
import { SharedSecrets } from '../keys/shared-secrets.js';
import { getOrCreateSigningSecret } from '../keys/signing-secret.js';
import {
  MAX_CLOCK_SKEW_SECONDS,
  readFirstPrincipal,
  readPrincipal,
  readRegisteredClaims,
  type ActingRole,
  type RegisteredClaims,
} from '../token/token-claims.js';
import { parseUnambiguousJson } from '../token/unambiguous-json.js';
import { VerifiedTokenCache } from './verified-token-cache.js';

/** Maximum token length. Leaves room for other headers, because Node limits the total header size to 16 KiB. */
const MAX_TOKEN_LENGTH = 8_192;
/** Three base64url parts without padding (RFC 7515, section 7.1). */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Values of the `typ` header parameter for access tokens (RFC 7519, section 5.1; RFC 9068, section 2.1). */
const ACCESS_TOKEN_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
/** Minimum length of an RSA key (RFC 7518, section 3.3). */
const MIN_RSA_BITS = 2_048;

/** The keys and the algorithms that they allow, so that a public key is never used as an HMAC secret. */
type KeySource = {
  findKey: (header: JWTHeaderParameters, token: string) => Promise<KeyObject | webcrypto.CryptoKey>;
  version: () => number | undefined;
  algorithms: readonly string[];
};

/** A token being verified, and the key version at the start of its verification. */
type VerificationAttempt = { token: string; keyVersion: number | undefined };

/** Verifies a token and returns its principal (docs/decisions.md, "Tokens"). */
@Injectable()
export class TokenVerifier implements TokenChecks {
  private readonly settings: TokenEnvironment;
  private readonly keys: KeySource;
  private readonly cache = new VerifiedTokenCache();
  private readonly attempts = new WeakMap<object, VerificationAttempt>();

  constructor(
    environment: Environment,
    private readonly denyList: DenyList,
    private readonly strategy: JwtStrategy = new JwtStrategy(),
  ) {
    this.settings = environment.token;
    this.keys = createKeySource(this.settings);
  }

  /**
   * Returns the principal of a cached token, or undefined if the token must be verified.
   *
   * @throws UnauthenticatedError if the token has been revoked
   * @throws ServiceUnavailableException if the revoked tokens are unavailable
   */
  findVerified(token: string, actingRole?: ActingRole): Principal | undefined {
    const verified = this.cache.get(toCacheKey(token, actingRole), this.keys.version());
    if (verified !== undefined) this.requireNotRevoked(verified);
    return verified?.principal;
  }

  /**
   * Verifies a token without an HTTP request.
   *
   * @throws UnauthenticatedError if the token is refused; contains the reason for the log
   * @throws ForbiddenError if the token does not contain `actingRole`
   * @throws ServiceUnavailableException if the keys or the revoked tokens are unavailable
   */
  async verify(token: string, actingRole?: ActingRole): Promise<Principal> {
    const roleHeader = actingRole === undefined ? {} : { [ACTING_ROLE_HEADER]: [actingRole] };
    const raw = { headersDistinct: { authorization: [`Bearer ${token}`], ...roleHeader } };
    const request: VerifiableRequest = { raw, server: { tokenChecks: this } };
    return this.findVerified(token, actingRole) ?? (await this.runStrategy(request));
  }

  async findKey(request: object, token: string): Promise<KeyObject> {
    this.attempts.set(request, { token, keyVersion: this.keys.version() });
    const header = readHeader(token);
    if (typeof header.alg !== 'string' || !this.keys.algorithms.includes(header.alg))
      throw createRefusalError('ALGORITHM');
    const found = await this.keys.findKey(header as JWTHeaderParameters, token);
    const key = found instanceof KeyObject ? found : KeyObject.from(found);
    // jsonwebtoken checks the key length only when signing.
    if ((key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS) throw createRefusalError('WEAK_KEY');
    return key;
  }

  validateClaims(request: BearerRequest, claims: unknown): Principal {
    const { token, keyVersion } = this.attempts.get(request)!;
    const { jti, sub, ...times } = readRegisteredClaims(claims);
    this.requireIssuerAndAudience(claims as { iss?: unknown; aud?: unknown });
    if (!this.hasAllowedLifetime(times)) throw createRefusalError('LIFETIME');
    const actingRole = readActingRole(request);
    // A number of seconds can have a fraction (RFC 7519, section 2), also one of less than a millisecond.
    const issuedAt = times.iat === undefined ? undefined : Math.floor(times.iat * 1000);
    // Checked before a possible 403, because that response must not reveal the roles in a revoked token.
    if (actingRole !== undefined) this.requireNotRevoked({ jti, issuedAt, holderKeys: [toSubjectKey(sub)] });
    const principal = Object.freeze(this.resolvePrincipal(request, claims, { actingRole, jti, issuedAt }));
    setIssueTime(principal, issuedAt);
    const verified = { principal, jti, issuedAt, holderKeys: toHolderKeys(principal), exp: times.exp };
    if (keyVersion !== undefined) this.cache.add(toCacheKey(token, actingRole), keyVersion, verified);
    this.requireNotRevoked(verified);
    return principal;
  }

  private resolvePrincipal(
    request: BearerRequest,
    claims: unknown,
    { actingRole, ...token }: Omit<RevocableToken, 'holderKeys'> & { actingRole: ActingRole | undefined },
  ): Principal {
    const { claims: paths } = this.settings;
    try {
      return readPrincipal(claims, paths, actingRole);
    } catch (error) {
      const holder = error instanceof ForbiddenError ? readFirstPrincipal(claims, paths) : undefined;
      if (holder === undefined) throw error;
      this.requireNotRevoked({ ...token, holderKeys: toHolderKeys(holder) });
      // For this 403, the audit trail names the caller with the first role in the token.
      setActor(request, holder);
      throw error;
    }
  }

  /** Runs the strategy as passport does: on an object that inherits from the strategy and has the callbacks. */
  private runStrategy(request: VerifiableRequest): Promise<Principal> {
    return new Promise((success, reject) => {
      const fail = (failure: unknown) => reject(toRefusalError(failure));
      const attempt = Object.create(this.strategy) as { authenticate(request: VerifiableRequest): void };
      Object.assign(attempt, { success, fail, error: reject }).authenticate(request);
    });
  }

  private requireNotRevoked(token: RevocableToken): void {
    if (this.denyList.isRevoked(token)) throw createRefusalError('REVOKED');
  }

  private requireIssuerAndAudience({ iss, aud }: { iss?: unknown; aud?: unknown }): void {
    const { issuer, audience } = this.settings;
    if (issuer !== undefined && iss !== issuer) throw createRefusalError('ISSUER');
    const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
    if (audience !== undefined && !audiences.includes(audience)) throw createRefusalError('AUDIENCE');
  }

  /**
   * The lifetime of a token without `iat` is measured from now. A token issued in the future is refused, because it
   * could be valid for longer than the maximum lifetime.
   */
  private hasAllowedLifetime({ exp, iat }: Pick<RegisteredClaims, 'exp' | 'iat'>): boolean {
    const now = Math.floor(getSystemTimeMs() / 1000);
    const issuedAt = iat ?? now;
    return issuedAt <= now + MAX_CLOCK_SKEW_SECONDS && exp - issuedAt <= this.settings.maxLifetime.total('seconds');
  }
}

/**
 * Parses a token's header. Refuses repeated members, extensions (RFC 7515, section 4.1.11) and unencoded payloads (RFC
 * 7797), which jsonwebtoken does not check.
 *
 * @throws UnauthenticatedError if the token is refused
 */
function readHeader(token: string): Record<string, unknown> {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWS.test(token)) throw createRefusalError('NOT_A_TOKEN');
  const parts = token.split('.');
  if (!parts.every(isCanonicalBase64Url)) throw createRefusalError('NOT_A_TOKEN');
  const [header, payload] = parts.slice(0, 2).map(parseUnambiguousJson);
  if (!isObject(header) || !isObject(payload)) throw createRefusalError('NOT_PLAIN_JSON');
  const { typ } = header;
  if (!ACCESS_TOKEN_TYPES.includes(typeof typ === 'string' ? typ.toLowerCase() : typ)) throw createRefusalError('TYPE');
  if ('crit' in header || 'b64' in header) throw createRefusalError('EXTENSION');
  return header;
}

/**
 * A token with several roles has one cache entry for each selected role. The separator is a space, which cannot occur
 * in a token.
 */
function toCacheKey(token: string, actingRole: ActingRole | undefined): string {
  return actingRole === undefined ? token : `${actingRole} ${token}`;
}

/** Returns false if the text is not the canonical encoding of its bytes (RFC 4648, section 3.5). */
function isCanonicalBase64Url(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function createKeySource(token: TokenEnvironment): KeySource {
  if (token.key.kind === 'keySet') {
    const keySet = new JsonWebKeySet(token.key.url);
    return { findKey: keySet.findKey, version: () => keySet.version, algorithms: ['RS256', 'ES256'] };
  }
  const previous = token.key.kind === 'secret' ? token.key.previous : undefined;
  const secrets = new SharedSecrets(getOrCreateSigningSecret(token)!, previous);
  return { findKey: async (_, signed) => secrets.findKey(signed), version: () => 0, algorithms: ['HS256'] };
}
