import { z } from 'zod';
import { ROLES, type Principal, type Role } from '../../shared/access/index.js';
import type { ClaimPaths } from '../../shared/config/env.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { text } from '../../shared/validation/index.js';
import { readClaim } from './claim-path.js';
import { tokenRefused, type RefusalReason } from './token-refusal.js';

/* The claims of an access token (docs/decisions.md, "Tokens"). */

/** How far the clock of an identity provider may be ahead of the service's clock, in seconds. */
export const MAX_CLOCK_SKEW_SECONDS = 60;

/** What a token can be revoked by. What opens can be revoked, as the list of revoked tokens takes the same. */
export const tokenIdSchema = text(255).refine((jti) => jti !== '', 'must not be empty');

/** A token without these three is none of ours. Times are seconds since 1970. */
const registeredClaimsSchema = z.object({
  sub: z.string().min(1).max(255),
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

/** @throws UnauthenticatedError where one of them is missing or malformed */
export function readRegisteredClaims(claims: unknown): RegisteredClaims {
  const { data, error } = registeredClaimsSchema.safeParse(claims);
  if (data !== undefined) return data;
  throw tokenRefused(REASON_OF_CLAIM.get(error.issues[0]?.path[0]) ?? 'NOT_PLAIN_JSON');
}

/**
 * `CLINIC`, `role_clinic`, `Caregiver` …: read case-insensitively, with or without `ROLE_`, synonyms folded. Of ASCII
 * alone, as upper case folds other letters into it: the dotless i of `adm\u0131n` becomes an I.
 */
const roleSchema = z
  .string()
  .regex(/^[A-Za-z_]+$/)
  .transform((written) => written.toUpperCase().replace(/^ROLE_/, ''))
  .transform((written) => (written === 'CAREGIVER' || written === 'CAREPROVIDER' ? 'CARE_PROVIDER' : written))
  .pipe(z.enum(ROLES));

/** A role as a token or a header writes it; undefined where it is none of ours. */
export function parseRole(written: unknown): Role | undefined {
  return roleSchema.safeParse(written).data;
}

/** Groups, roles or scopes of an identity provider: a list, or a text with blanks. What is no role of ours is ignored. */
const roleListSchema = z
  .union([z.string().transform((written) => written.split(' ')), z.array(z.string())])
  .transform((entries) => [...new Set(entries.flatMap((entry) => parseRole(entry) ?? []))]);

const positive = z.int().min(1);
/** Some identity providers can only write text into claims of one's own. Of each number there is one spelling. */
const recordIdSchema = z.union([
  positive,
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number)
    .pipe(positive),
]);

/** Which claim names the directory record of a role. */
export const RECORD_ID_CLAIMS = {
  CLINIC: 'clinicId',
  CARE_PROVIDER: 'caregiverId',
  CLIENT: 'clientId',
  ADMIN: undefined,
} as const;

/** The roles of ours that a token names. The claim `role` is one text: a list there is only read to choose from it. */
export function readRoles(claims: unknown, paths: ClaimPaths, hasActingRole = false): Role[] {
  const written = readClaim(claims, paths.role);
  const isList = paths.role !== 'role' || (hasActingRole && Array.isArray(written));
  return (isList ? roleListSchema : roleSchema.transform((only) => [only])).safeParse(written).data ?? [];
}

/** The id of the directory record of a role; null where the role has none, undefined where the claim is not an id. */
export function readRecordId(claims: unknown, paths: ClaimPaths, role: Role): number | null | undefined {
  const claim = RECORD_ID_CLAIMS[role];
  return claim === undefined ? null : recordIdSchema.safeParse(readClaim(claims, paths[claim])).data;
}

/**
 * The claims that make a principal; anything else in the token is ignored.
 *
 * @param actingRole the role that the caller has chosen among those of the token; `OTHER`: none of ours
 * @throws UnauthenticatedError where nobody has said which of several roles is meant, or the record is missing
 * @throws ForbiddenError where the token does not hold the role that was chosen
 */
export function readPrincipal(claims: unknown, paths: ClaimPaths, actingRole?: ActingRole): Principal {
  const roles = readRoles(claims, paths, actingRole !== undefined);
  const [only] = roles;
  if (only === undefined || (actingRole === undefined && roles.length > 1)) throw tokenRefused('ROLE');
  const role = actingRole ?? only;
  if (role === 'OTHER' || !roles.includes(role)) throw new ForbiddenError(ROLE_NOT_IN_TOKEN);
  const principal = buildPrincipal(role, claims, paths);
  if (principal === undefined) throw tokenRefused('RECORD');
  return principal;
}

/** The principal of the first role that a token holds, whichever was chosen; undefined where it names no record. */
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

/** Which of several roles is in use. */
export type ActingRole = Role | 'OTHER';

const ROLE_NOT_IN_TOKEN = 'The token does not hold the role of the header Acting-Role.';
