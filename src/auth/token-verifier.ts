import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose';
import { createSecretKey } from 'node:crypto';
import type { Principal } from '../shared/access/index.js';
import { Environment, type TokenEnvironment } from '../shared/env.js';
import { UnauthenticatedError } from '../shared/errors/index.js';
import { DenyList } from './deny-list.js';
import { KeySet } from './key-set.js';
import { machineTime } from './machine-time.js';
import { signingSecret } from './secret.js';
import { readPrincipal, registeredClaims, type RegisteredClaims } from './token-claims.js';
import { isUnambiguous } from './token-json.js';
import { VerifiedTokens, type VerifiedToken } from './verified-tokens.js';

/** Larger than any access token should be, and small enough to leave room for other headers (16 KiB together). */
const MAX_TOKEN_LENGTH = 8_192;
/** Three parts of base64url, nothing else: no padding, no blank, no fourth part. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** What access tokens call themselves (RFC 7519, section 5.1; RFC 9068, section 2.1); others are not for us. */
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
/** By how many seconds the clock of an identity provider may be ahead of ours. */
export const CLOCK_SKEW = 60;

/** How signatures are verified. The algorithms are named for each kind of key: a public key is never an HMAC secret. */
type Keys = { find: JWTVerifyGetKey; version: () => number | undefined; algorithms: string[] };

/** Token → Principal (decisions, section 3). */
@Injectable()
export class TokenVerifier {
  private readonly token: TokenEnvironment;
  private readonly keys: Keys;
  private readonly options: JWTVerifyOptions;
  private readonly verified = new VerifiedTokens();

  constructor(
    environment: Environment,
    private readonly denyList: DenyList,
  ) {
    this.token = environment.token;
    this.keys = keysOf(this.token);
    const { issuer, audience } = this.token;
    this.options = { algorithms: this.keys.algorithms, issuer, audience };
  }

  /**
   * The principal of a token that holds now.
   *
   * @throws UnauthenticatedError for every reason alike: which one it is would only help an attacker
   * @throws ServiceUnavailableException when the keys or the revocations are not known
   */
  async verify(token: string): Promise<Principal> {
    if (token.length > MAX_TOKEN_LENGTH || !COMPACT_JWS.test(token)) throw new UnauthenticatedError();
    const { principal, jti } = this.verified.get(token, this.keys.version()) ?? (await this.verifyAnew(token));
    if (jti !== undefined && this.denyList.has(jti)) throw new UnauthenticatedError();
    return principal;
  }

  private async verifyAnew(token: string): Promise<VerifiedToken> {
    const [header, payload] = token.split('.') as [string, string];
    const keys = this.keys.version();
    const { protectedHeader, claims } = await this.verifySignature(token);
    const registered = registeredClaims.safeParse(claims).data;
    const principal = readPrincipal(claims, this.token.claims);
    const isToken = isAccessToken(protectedHeader) && isUnambiguous(header) && isUnambiguous(payload);
    if (!isToken || !principal || !registered || !this.isShortLived(registered)) throw new UnauthenticatedError();
    const verified = { principal: Object.freeze(principal), jti: registered.jti, exp: registered.exp };
    if (keys !== undefined) this.verified.keep(token, keys, verified);
    return verified;
  }

  private async verifySignature(token: string) {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.keys.find, this.options);
      return { protectedHeader, claims: payload };
    } catch (error) {
      throw error instanceof ServiceUnavailableException ? error : new UnauthenticatedError();
    }
  }

  /** A token that says nothing of its beginning is taken to begin now; one that begins later could last for ever. */
  private isShortLived({ exp, iat }: RegisteredClaims): boolean {
    const now = Math.floor(machineTime() / 1000);
    const issuedAt = iat ?? now;
    return issuedAt <= now + CLOCK_SKEW && exp - issuedAt <= this.token.maxLifetime.total('seconds');
  }
}

/** No extension is understood here (RFC 7515, section 4.1.11), an unencoded payload (RFC 7797) least of all. */
function isAccessToken(header: Record<string, unknown>): boolean {
  const { typ } = header;
  const type = typeof typ === 'string' ? typ.toLowerCase() : typ;
  return TYPES.includes(type as undefined) && !('crit' in header) && !('b64' in header);
}

function keysOf(token: TokenEnvironment): Keys {
  if (token.key.kind === 'keySet') {
    const keySet = new KeySet(token.key.url);
    return { find: keySet.find, version: () => keySet.version, algorithms: ['RS256', 'ES256'] };
  }
  const key = createSecretKey(Buffer.from(signingSecret(token)!));
  return { find: () => key, version: () => 0, algorithms: ['HS256'] };
}
