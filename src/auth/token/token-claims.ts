import { z } from 'zod';
import type { Principal, Role } from '../../shared/access/index.js';
import type { ClaimPaths } from '../../shared/config/env.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { storableText } from '../../shared/validation/index.js';
import { readClaim } from './claim-path.js';
import { readRoles } from './role-claim.js';
import { createRefusalError, type RefusalReason } from './token-refusal.js';

/* The claims of an access token (docs/decisions.md, "Tokens"). */

/** How far an identity provider's clock may be ahead of the service's clock, in seconds. */
export const MAX_CLOCK_SKEW_SECONDS = 60;

/** The claim `jti`. Verification and revocation accept the same values, so every valid token ID can be revoked. */
export const tokenIdSchema = storableText(255).refine((jti) => jti !== '', 'must not be empty');

/** The claim `sub`. Verification and revocation accept the same values, so the tokens of every subject can be revoked. */
export const subjectSchema = storableText(255).refine((subject) => subject !== '', 'must not be empty');

/** The registered claims that the service reads (RFC 7519, section 4.1). Times are seconds since 1970. */
const registeredClaimsSchema = z.object({
  sub: subjectSchema,
  exp: z.number(),
  iat: z.number().optional(),
  jti: tokenIdSchema.optional(),
});
export type RegisteredClaims = z.output<typeof registeredClaimsSchema>;

const REASON_OF_CLAIM = new Map<unknown, RefusalReason>([
  ['sub', 'SUBJECT'],
  ['exp', 'EXPIRY'],
  ['iat', 'ISSUED_AT'],
  ['jti', 'TOKEN_ID'],
]);

/** @throws UnauthenticatedError if a claim is missing or malformed */
export function readRegisteredClaims(claims: unknown): RegisteredClaims {
  const { data, error } = registeredClaimsSchema.safeParse(claims);
  if (data !== undefined) return data;
  throw createRefusalError(REASON_OF_CLAIM.get(error.issues[0]?.path[0]) ?? 'NOT_PLAIN_JSON');
}

const positiveInteger = z.int().min(1);
/**
 * A positive integer as a number, or as a string without leading zeros. Some identity providers support only strings in
 * custom claims.
 */
const recordIdSchema = z.union([
  positiveInteger,
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number)
    .pipe(positiveInteger),
]);

/** The claim that contains the directory record ID for each role. */
export const RECORD_ID_CLAIMS = {
  CLINIC: 'clinicId',
  CARE_PROVIDER: 'caregiverId',
  CLIENT: 'clientId',
  ADMIN: undefined,
} as const;

/** Returns the record ID for a role: null if the role has no record, undefined if the claim is missing or malformed. */
export function readRecordId(claims: unknown, paths: ClaimPaths, role: Role): number | null | undefined {
  const claim = RECORD_ID_CLAIMS[role];
  return claim === undefined ? null : recordIdSchema.safeParse(readClaim(claims, paths[claim])).data;
}

/**
 * Builds the principal from the role, record and subject claims, and ignores all other claims.
 *
 * @param actingRole the role selected by the `Acting-Role` header
 * @throws UnauthenticatedError if there is no role, if there are several roles but no `actingRole`, or if the record ID
 * is missing
 * @throws ForbiddenError if the token does not contain `actingRole`
 */
export function readPrincipal(claims: unknown, paths: ClaimPaths, actingRole?: ActingRole): Principal {
  const roles = readRoles(claims, paths, actingRole !== undefined);
  const [only] = roles;
  if (only === undefined || (actingRole === undefined && roles.length > 1)) throw createRefusalError('ROLE');
  const role = actingRole ?? only;
  if (role === 'UNKNOWN' || !roles.includes(role)) throw new ForbiddenError(ROLE_NOT_IN_TOKEN);
  const principal = buildPrincipal(role, claims, paths);
  if (principal === undefined) throw createRefusalError('RECORD');
  return principal;
}

/** Returns the principal for the first role in the token, or undefined if there is no role or no record ID for it. */
export function readFirstPrincipal(claims: unknown, paths: ClaimPaths): Principal | undefined {
  const [first] = readRoles(claims, paths, true);
  return first === undefined ? undefined : buildPrincipal(first, claims, paths);
}

function buildPrincipal(role: Role, claims: unknown, paths: ClaimPaths): Principal | undefined {
  const { sub: subject } = readRegisteredClaims(claims);
  if (role === 'ADMIN') return { role, subject };
  const id = readRecordId(claims, paths, role);
  return id === undefined ? undefined : ({ role, subject, [RECORD_ID_CLAIMS[role]]: id } as Principal);
}

/** The role selected by the `Acting-Role` header, or `UNKNOWN` if the header does not name exactly one known role. */
export type ActingRole = Role | 'UNKNOWN';

const ROLE_NOT_IN_TOKEN = 'The token does not contain the role of the header Acting-Role.';
