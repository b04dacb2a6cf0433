import { decodeJwt, SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import type { Role } from '../../shared/access/index.js';
import type { TokenEnvironment } from '../../shared/config/env.js';
import { writeClaim } from '../token/claim-path.js';
import { getOrCreateSigningSecret } from '../keys/signing-secret.js';
import { RECORD_ID_CLAIMS } from '../token/token-claims.js';

const DEFAULT_LIFETIME = Temporal.Duration.from({ hours: 1 });

export type SignTokenOptions = { role: Role; id?: number; lifetime?: string };

/**
 * Signs an access token with the environment's shared secret.
 *
 * @param lifetime in the syntax of jose: `90s`, `1h`, `2 days`
 * @throws Error if tokens are verified with a key set, a required record ID is missing, or the lifetime is malformed or
 * exceeds `JWT_MAX_LIFETIME`
 */
export async function signToken(
  environment: TokenEnvironment,
  { role, id, lifetime = `${limitTokenLifetime(environment, DEFAULT_LIFETIME).total('seconds')}s` }: SignTokenOptions,
): Promise<string> {
  const secret = getOrCreateSigningSecret(environment);
  if (secret === undefined) throw new Error('Tokens are verified with a key set (JWT_JWKS_URL). Its owner signs them.');
  const token = new SignJWT(buildClaims(environment, role, id))
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(`${role.toLowerCase()}-${id ?? 0}`)
    .setJti(randomUUID());
  setLifetime(token, lifetime);
  if (environment.issuer) token.setIssuer(environment.issuer);
  if (environment.audience) token.setAudience(environment.audience);
  const signed = await token.sign(Buffer.from(secret));
  const { iat, exp } = decodeJwt<{ iat: number; exp: number }>(signed);
  if (exp <= iat) throw createLifetimeError(lifetime);
  if (exp - iat <= environment.maxLifetime.total('seconds')) return signed;
  throw new Error(`A lifetime of ${lifetime} is too long: JWT_MAX_LIFETIME is ${environment.maxLifetime.toString()}.`);
}

function setLifetime(token: SignJWT, lifetime: string): void {
  try {
    token.setExpirationTime(lifetime);
  } catch (error) {
    throw createLifetimeError(lifetime, error);
  }
  // Set after the expiry, so a clock tick between the two calls shortens the lifetime instead of extending it.
  token.setIssuedAt();
}

function createLifetimeError(lifetime: string, cause?: unknown): Error {
  return new Error(`--ttl must be a lifetime such as 90s or 1h, not "${lifetime}"`, { cause });
}

/** Returns the requested lifetime or `JWT_MAX_LIFETIME`, whichever is shorter, rounded down to whole seconds. */
export function limitTokenLifetime({ maxLifetime }: TokenEnvironment, requested: Temporal.Duration): Temporal.Duration {
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
