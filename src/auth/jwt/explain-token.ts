import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { Environment } from '../../shared/config/env.js';
import { ForbiddenError, UnauthenticatedError } from '../../shared/errors/index.js';
import { assertSigningSecretExists } from '../keys/signing-secret.js';
import { readClaim } from '../token/claim-path.js';
import type { DenyList } from '../revocation/deny-list.js';
import { parseRole } from '../token/role-claim.js';
import { REFUSAL_REASONS, type RefusalReason } from '../token/token-refusal.js';
import { TokenVerifier } from './token-verifier.js';

/** Replaces the list of revoked tokens, because this command does not open the database. */
const EMPTY_DENY_LIST = { isRevoked: () => false } as unknown as DenyList;

/**
 * Explains to an operator why the service accepts or refuses a token: the first failed check, the expected values, and
 * the token's claims. Fetches the key set if one is configured.
 *
 * @param actingRole value of the `Acting-Role` header
 * @throws Error if there is no secret to verify the token with
 */
export async function explainToken(
  environment: Environment,
  token: string,
  actingRole?: string,
): Promise<{ isAccepted: boolean; lines: string[] }> {
  assertSigningSecretExists(environment.token);
  const verdict = await findVerdict(environment, token, actingRole);
  const isAccepted = verdict.startsWith('ACCEPTED');
  return {
    isAccepted,
    lines: [verdict, ...describeExpected(environment), ...describeToken(environment, token), 'revoked   not checked'],
  };
}

async function findVerdict(environment: Environment, token: string, actingRole: string | undefined): Promise<string> {
  try {
    const selectedRole = actingRole === undefined ? undefined : (parseRole(actingRole) ?? 'UNKNOWN');
    const principal = await new TokenVerifier(environment, EMPTY_DENY_LIST).verify(token, selectedRole);
    return `ACCEPTED  ${JSON.stringify(principal)}`;
  } catch (error) {
    if (error instanceof UnauthenticatedError) return toRefusedLine(error.reason as RefusalReason);
    if (error instanceof ForbiddenError) return `REFUSED   ACTING_ROLE: ${error.message}`;
    return 'UNKNOWN   the key set (JWT_JWKS_URL) cannot be fetched';
  }
}

const toRefusedLine = (reason: RefusalReason) => `REFUSED   ${reason}: ${REFUSAL_REASONS[reason]}`;

function describeExpected({ token: { key, issuer, audience, maxLifetime, claims } }: Environment): string[] {
  const keys = key.kind === 'keySet' ? key.url : `the shared secret (${key.kind})`;
  return [
    `expected  iss ${issuer ?? 'any'}, aud ${audience ?? 'any'}, at most ${maxLifetime.toString()}, signed by ${keys}`,
    `expected  role in ${claims.role}, ids in ${claims.clinicId}, ${claims.caregiverId}, ${claims.clientId}`,
  ];
}

/** Shows the values of the checked claims, but only the names of the others. */
function describeToken({ token: { claims: paths } }: Environment, token: string): string[] {
  try {
    const [header, claims] = [decodeProtectedHeader(token), decodeJwt(token)];
    const names = [...new Set(['iss', 'aud', 'sub', 'jti', ...Object.values(paths)])];
    const { alg, kid, typ } = header;
    return [
      `header    ${JSON.stringify({ alg, kid, typ })}`,
      ...names.map((name) => `claim     ${name} ${toText(readClaim(claims, name))}`),
      ...describeTimes(claims),
      `others    ${Object.keys(claims).join(', ')}`,
    ];
  } catch {
    return ['header    cannot be read'];
  }
}

const toText = (value: unknown) => (value === undefined ? 'is missing' : JSON.stringify(value));

function describeTimes(claims: Record<string, unknown>): string[] {
  return ['iat', 'nbf', 'exp'].map((name) => {
    const value = claims[name];
    const isTime = typeof value === 'number' && Math.abs(value) < 8.64e12;
    const time = isTime ? ` ${Temporal.Instant.fromEpochMilliseconds(Math.floor(value * 1_000)).toString()}` : '';
    return `claim     ${name} ${toText(value)}${time}`;
  });
}
