import { Injectable } from '@nestjs/common';
import type { JWTHeaderParameters } from 'jose';
import { createSecretKey, KeyObject, type webcrypto } from 'node:crypto';
import type { Principal } from '../../shared/access/index.js';
import { Environment, type TokenEnvironment } from '../../shared/config/env.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { setActor } from '../../shared/http/index.js';
import { machineTime } from '../../shared/time/index.js';
import { ACTING_ROLE_HEADER, readActingRole } from '../token/acting-role.js';
import type { BearerRequest } from '../token/bearer-token.js';
import { DenyList } from '../revocation/deny-list.js';
import { JwtStrategy, type TokenRules, type VerifiableRequest } from './jwt.strategy.js';
import { KeySet } from '../keys/key-set.js';
import { toRefusal, tokenRefused } from '../token/token-refusal.js';
import { getSigningSecret } from '../keys/signing-secret.js';
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

/** Larger than any access token should be, and small enough to leave room for other headers (16 KiB together). */
const MAX_TOKEN_LENGTH = 8_192;
/** Three parts of base64url, nothing else: no padding, no blank, no fourth part. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** What access tokens call themselves (RFC 7519, section 5.1; RFC 9068, section 2.1); others are not for us. */
const ACCESS_TOKEN_TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
/** Shorter keys are refused (RFC 7518, section 3.3). */
const MIN_RSA_BITS = 2_048;

/** How signatures are verified. The algorithms are named for each kind of key: a public key is never an HMAC secret. */
type KeySource = {
  findKey: (header: JWTHeaderParameters) => Promise<KeyObject | webcrypto.CryptoKey>;
  version: () => number | undefined;
  algorithms: readonly string[];
};

/** A token that is being verified, and the version of the keys before its own was looked for. */
type VerificationAttempt = { token: string; keyVersion: number | undefined };

/** Token → Principal (docs/decisions.md, "Tokens"). What one application demands, beside what passport verifies for all. */
@Injectable()
export class TokenVerifier implements TokenRules {
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
   * The principal of a token that was verified a moment ago and still holds.
   *
   * @throws UnauthenticatedError when it was revoked since
   * @throws ServiceUnavailableException when the revocations are not known
   */
  findVerified(token: string, acting?: ActingRole): Principal | undefined {
    const verified = this.cache.get(toCacheKey(token, acting), this.keys.version());
    if (verified?.jti !== undefined) this.requireNotRevoked(verified.jti);
    return verified?.principal;
  }

  /**
   * The principal of a token that holds now, without a request.
   *
   * @throws UnauthenticatedError for every reason alike, with the reason for the log
   * @throws ServiceUnavailableException when the keys or the revocations are not known
   */
  async verify(token: string, acting?: ActingRole): Promise<Principal> {
    const chosen = acting === undefined ? {} : { [ACTING_ROLE_HEADER]: [acting] };
    const raw = { headersDistinct: { authorization: [`Bearer ${token}`], ...chosen } };
    const request: VerifiableRequest = { raw, server: { tokenRules: this } };
    return this.findVerified(token, acting) ?? (await this.runStrategy(request));
  }

  async findKey(request: object, token: string): Promise<KeyObject> {
    this.attempts.set(request, { token, keyVersion: this.keys.version() });
    const header = readHeader(token);
    if (typeof header.alg !== 'string' || !this.keys.algorithms.includes(header.alg)) throw tokenRefused('ALGORITHM');
    const found = await this.keys.findKey(header as JWTHeaderParameters);
    const key = found instanceof KeyObject ? found : KeyObject.from(found);
    // jsonwebtoken asks for a long key when it signs, and not when it verifies.
    if ((key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) < MIN_RSA_BITS) throw tokenRefused('WEAK_KEY');
    return key;
  }

  validateClaims(request: BearerRequest, claims: unknown): Principal {
    const { token, keyVersion } = this.attempts.get(request)!;
    const { jti, ...times } = readRegisteredClaims(claims);
    this.requireIssuerAndAudience(claims as { iss?: unknown; aud?: unknown });
    if (!this.hasAllowedLifetime(times)) throw tokenRefused('LIFETIME');
    const acting = readActingRole(request);
    // Before 403 is answered: nobody learns what a revoked token holds.
    if (acting !== undefined && jti !== undefined) this.requireNotRevoked(jti);
    const principal = Object.freeze(this.resolvePrincipal(request, claims, acting));
    if (keyVersion !== undefined)
      this.cache.add(toCacheKey(token, acting), keyVersion, { principal, jti, exp: times.exp });
    if (jti !== undefined) this.requireNotRevoked(jti);
    return principal;
  }

  private resolvePrincipal(request: BearerRequest, claims: unknown, acting: ActingRole | undefined): Principal {
    const { claims: paths } = this.settings;
    try {
      return readPrincipal(claims, paths, acting);
    } catch (error) {
      const holder = error instanceof ForbiddenError ? readFirstPrincipal(claims, paths) : undefined;
      // The audit trail names the caller of this 403 by a role that the token does hold.
      if (holder !== undefined) setActor(request, holder);
      throw error;
    }
  }

  /** As passport does it, without a request of a server. */
  private runStrategy(request: VerifiableRequest): Promise<Principal> {
    return new Promise((success, reject) => {
      const fail = (failure: unknown) => reject(toRefusal(failure));
      const attempt = Object.create(this.strategy) as { authenticate(request: VerifiableRequest): void };
      Object.assign(attempt, { success, fail, error: reject }).authenticate(request);
    });
  }

  private requireNotRevoked(jti: string): void {
    if (this.denyList.has(jti)) throw tokenRefused('REVOKED');
  }

  private requireIssuerAndAudience({ iss, aud }: { iss?: unknown; aud?: unknown }): void {
    const { issuer, audience } = this.settings;
    if (issuer !== undefined && iss !== issuer) throw tokenRefused('ISSUER');
    const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
    if (audience !== undefined && !audiences.includes(audience)) throw tokenRefused('AUDIENCE');
  }

  /** A token that says nothing of its beginning is taken to begin now; one that begins later could last for ever. */
  private hasAllowedLifetime({ exp, iat }: Pick<RegisteredClaims, 'exp' | 'iat'>): boolean {
    const now = Math.floor(machineTime() / 1000);
    const issuedAt = iat ?? now;
    return issuedAt <= now + MAX_CLOCK_SKEW_SECONDS && exp - issuedAt <= this.settings.maxLifetime.total('seconds');
  }
}

/**
 * The header of a token in which everything is said once, and no extension is used (RFC 7515, section 4.1.11), an
 * unencoded payload (RFC 7797) least of all. jsonwebtoken looks at none of this, and takes JSON in a JSON string.
 *
 * @throws UnauthenticatedError
 */
function readHeader(token: string): Record<string, unknown> {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWS.test(token)) throw tokenRefused('NOT_A_TOKEN');
  const parts = token.split('.');
  if (!parts.every(isCanonicalBase64Url)) throw tokenRefused('NOT_A_TOKEN');
  const [header, payload] = parts.slice(0, 2).map(parseUnambiguousJson);
  if (!isObject(header) || !isObject(payload)) throw tokenRefused('NOT_PLAIN_JSON');
  const { typ } = header;
  if (!ACCESS_TOKEN_TYPES.includes(typeof typ === 'string' ? typ.toLowerCase() : typ)) throw tokenRefused('TYPE');
  if ('crit' in header || 'b64' in header) throw tokenRefused('EXTENSION');
  return header;
}

/** A token of several roles is one principal for each. No token has a blank. */
function toCacheKey(token: string, acting: ActingRole | undefined): string {
  return acting === undefined ? token : `${acting} ${token}`;
}

/** True for the one spelling of its bytes in base64url (RFC 4648, section 3.5). */
function isCanonicalBase64Url(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function createKeySource(token: TokenEnvironment): KeySource {
  if (token.key.kind === 'keySet') {
    const keySet = new KeySet(token.key.url);
    return { findKey: keySet.findKey, version: () => keySet.version, algorithms: ['RS256', 'ES256'] };
  }
  const key = createSecretKey(Buffer.from(getSigningSecret(token)!));
  return { findKey: async () => key, version: () => 0, algorithms: ['HS256'] };
}
