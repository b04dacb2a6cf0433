import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Environment } from '../../shared/config/env.js';
import { ForbiddenError, UnauthenticatedError } from '../../shared/errors/index.js';
import { claimAt } from '../token/claim-path.js';
import type { DenyList } from '../revocation/deny-list.js';
import { REFUSALS, type RefusalReason } from '../token/token-refusal.js';
import { roleOf } from '../token/token-claims.js';
import { TokenVerifier } from './token-verifier.js';

/** Revocations are in the database, which is not opened for this. */
const NOT_CHECKED = { has: () => false } as unknown as DenyList;

/**
 * Why the service accepts a token or refuses it, in lines for the operator: which check failed first, and which claims
 * the token has. A token of an identity provider is looked up in its key set.
 */
export async function explainToken(
  environment: Environment,
  token: string,
  acting?: string,
): Promise<{ isAccepted: boolean; lines: string[] }> {
  const verdict = await verdictOf(environment, token, acting);
  const isAccepted = verdict.startsWith('ACCEPTED');
  return {
    isAccepted,
    lines: [verdict, ...expected(environment), ...seen(environment, token), 'revoked   not checked'],
  };
}

async function verdictOf(environment: Environment, token: string, acting: string | undefined): Promise<string> {
  try {
    const chosen = acting === undefined ? undefined : (roleOf(acting) ?? 'OTHER');
    const principal = await new TokenVerifier(environment, NOT_CHECKED).verify(token, chosen);
    return `ACCEPTED  ${JSON.stringify(principal)}`;
  } catch (error) {
    if (error instanceof UnauthenticatedError) return refusedAs(error.reason as RefusalReason);
    if (error instanceof ForbiddenError) return `REFUSED   ACTING_ROLE: ${error.message}`;
    return 'UNKNOWN   the key set (JWT_JWKS_URL) cannot be fetched';
  }
}

const refusedAs = (reason: RefusalReason) => `REFUSED   ${reason}: ${REFUSALS[reason]}`;

function expected({ token: { key, issuer, audience, maxLifetime, claims } }: Environment): string[] {
  const keys = key.kind === 'keySet' ? key.url : `the shared secret (${key.kind})`;
  return [
    `expected  iss ${issuer ?? 'any'}, aud ${audience ?? 'any'}, at most ${maxLifetime.toString()}, signed by ${keys}`,
    `expected  role in ${claims.role}, ids in ${claims.clinicId}, ${claims.caregiverId}, ${claims.clientId}`,
  ];
}

/** What the token says of what is looked at here, and the names alone of its other claims. */
function seen({ token: { claims: paths } }: Environment, token: string): string[] {
  try {
    const [header, claims] = [decodeProtectedHeader(token), decodeJwt(token)];
    const names = [...new Set(['iss', 'aud', 'sub', 'jti', ...Object.values(paths)])];
    const { alg, kid, typ } = header;
    return [
      `header    ${JSON.stringify({ alg, kid, typ })}`,
      ...names.map((name) => `claim     ${name} ${shown(claimAt(claims, name))}`),
      ...timesOf(claims),
      `others    ${Object.keys(claims).join(', ')}`,
    ];
  } catch {
    return ['header    cannot be read'];
  }
}

const shown = (value: unknown) => (value === undefined ? 'is missing' : JSON.stringify(value));

function timesOf(claims: Record<string, unknown>): string[] {
  return ['iat', 'nbf', 'exp'].map((name) => {
    const value = claims[name];
    const isTime = typeof value === 'number' && Math.abs(value) < 8.64e12;
    const time = isTime ? ` ${Temporal.Instant.fromEpochMilliseconds(Math.floor(value * 1_000)).toString()}` : '';
    return `claim     ${name} ${shown(value)}${time}`;
  });
}
