import { decodeJwt, SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import type { Role } from '../../shared/access/index.js';
import type { TokenEnvironment } from '../../shared/config/env.js';
import { writeClaim } from '../token/claim-path.js';
import { getSigningSecret } from '../keys/signing-secret.js';
import { RECORD_ID_CLAIMS } from '../token/token-claims.js';

const DEFAULT_LIFETIME = Temporal.Duration.from({ hours: 1 });

export type SignTokenOptions = { role: Role; id?: number; lifetime?: string };

/**
 * Signs an access token with the shared secret of this environment.
 *
 * @param lifetime in the words of jose: `90s`, `1h`, `2 days`
 * @throws Error where a key set verifies, as its private keys are elsewhere, and for a lifetime that is too long
 */
export async function signToken(
  environment: TokenEnvironment,
  { role, id, lifetime = `${limitLifetime(environment, DEFAULT_LIFETIME).total('seconds')}s` }: SignTokenOptions,
): Promise<string> {
  const secret = getSigningSecret(environment);
  if (secret === undefined) throw new Error('Tokens of a key set (JWT_JWKS_URL) are signed by its owner, not here.');
  const token = new SignJWT(buildClaims(environment, role, id))
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(`${role.toLowerCase()}-${id ?? 0}`)
    .setJti(randomUUID())
    .setExpirationTime(lifetime)
    // After its end: a second that passes between the two makes it shorter, and not longer than a token may be.
    .setIssuedAt();
  if (environment.issuer) token.setIssuer(environment.issuer);
  if (environment.audience) token.setAudience(environment.audience);
  const signed = await token.sign(Buffer.from(secret));
  const { iat, exp } = decodeJwt<{ iat: number; exp: number }>(signed);
  if (exp - iat <= environment.maxLifetime.total('seconds')) return signed;
  throw new Error(`A token of ${lifetime} would not hold: JWT_MAX_LIFETIME is ${environment.maxLifetime.toString()}.`);
}

/** As long as wanted, where that is not longer than a token may be; in whole seconds. */
export function limitLifetime({ maxLifetime }: TokenEnvironment, requested: Temporal.Duration): Temporal.Duration {
  const isShorter = requested.total('seconds') < maxLifetime.total('seconds');
  return (isShorter ? requested : maxLifetime).round({
    largestUnit: 'hours',
    smallestUnit: 'seconds',
    roundingMode: 'floor',
  });
}

function buildClaims({ claims: paths }: TokenEnvironment, role: Role, id: number | undefined): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  const claim = RECORD_ID_CLAIMS[role];
  if (claim !== undefined && id === undefined) throw new Error(`A ${role} token needs --id <${claim}>.`);
  writeClaim(claims, paths.role, role);
  if (claim !== undefined) writeClaim(claims, paths[claim], id);
  return claims;
}
