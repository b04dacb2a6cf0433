import { z } from 'zod';
import { ROLES, type Principal, type Role } from '../../shared/access/index.js';
import type { ClaimPaths } from '../../shared/config/env.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { text } from '../../shared/validation/index.js';
import { claimAt } from './claim-path.js';
import { refused, type RefusalReason } from './token-refusal.js';

/* What stands in a token (docs/decisions.md, "Tokens"). */

/** What a token can be revoked by. What opens can be revoked, as the list of revoked tokens takes the same. */
export const tokenId = text(255).refine((jti) => jti !== '', 'must not be empty');

/** A token without these three is none of ours. Times are seconds since 1970. */
const registeredClaims = z.object({
  sub: z.string().min(1).max(255),
  exp: z.number(),
  iat: z.number().optional(),
  jti: tokenId.optional(),
});
export type RegisteredClaims = z.output<typeof registeredClaims>;

const REASONS = new Map<unknown, RefusalReason>([
  ['sub', 'SUBJECT'],
  ['exp', 'EXPIRY'],
  ['iat', 'ISSUED_AT'],
  ['jti', 'TOKEN_ID'],
]);

/** @throws UnauthenticatedError where one of them is missing or malformed */
export function readRegisteredClaims(claims: unknown): RegisteredClaims {
  const { data, error } = registeredClaims.safeParse(claims);
  if (data !== undefined) return data;
  throw refused(REASONS.get(error.issues[0]?.path[0]) ?? 'NOT_PLAIN_JSON');
}

/**
 * `CLINIC`, `role_clinic`, `Caregiver` …: read case-insensitively, with or without `ROLE_`, synonyms folded. Of ASCII
 * alone, as upper case folds other letters into it: the dotless i of `adm\u0131n` becomes an I.
 */
const role = z
  .string()
  .regex(/^[A-Za-z_]+$/)
  .transform((written) => written.toUpperCase().replace(/^ROLE_/, ''))
  .transform((written) => (written === 'CAREGIVER' || written === 'CAREPROVIDER' ? 'CARE_PROVIDER' : written))
  .pipe(z.enum(ROLES));

/** A role as a token or a header writes it; undefined where it is none of ours. */
export function roleOf(written: unknown): Role | undefined {
  return role.safeParse(written).data;
}

/** Groups, roles or scopes of an identity provider: a list, or a text with blanks. What is no role of ours is ignored. */
const roleList = z
  .union([z.string().transform((written) => written.split(' ')), z.array(z.string())])
  .transform((entries) => [...new Set(entries.flatMap((entry) => roleOf(entry) ?? []))]);

const positive = z.int().min(1);
/** Some identity providers can only write text into claims of one's own. Of each number there is one spelling. */
const recordId = z.union([
  positive,
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number)
    .pipe(positive),
]);

/** Which claim names the directory record of a role. */
export const ID_CLAIM = {
  CLINIC: 'clinicId',
  CARE_PROVIDER: 'caregiverId',
  CLIENT: 'clientId',
  ADMIN: undefined,
} as const;

/** The roles of ours that a token names. The claim `role` is one text: a list there is only read to choose from it. */
export function readRoles(claims: unknown, paths: ClaimPaths, isChosen = false): Role[] {
  const written = claimAt(claims, paths.role);
  const isList = paths.role !== 'role' || (isChosen && Array.isArray(written));
  return (isList ? roleList : role.transform((only) => [only])).safeParse(written).data ?? [];
}

/** The id of the directory record of a role; null where the role has none, undefined where the claim is not an id. */
export function readRecordId(claims: unknown, paths: ClaimPaths, caller: Role): number | null | undefined {
  const claim = ID_CLAIM[caller];
  return claim === undefined ? null : recordId.safeParse(claimAt(claims, paths[claim])).data;
}

/**
 * The claims that make a principal; anything else in the token is ignored.
 *
 * @param acting the role that the caller has chosen among those of the token; `OTHER`: none of ours
 * @throws UnauthenticatedError where nobody has said which of several roles is meant, or the record is missing
 * @throws ForbiddenError where the token does not hold the role that was chosen
 */
export function readPrincipal(claims: unknown, paths: ClaimPaths, acting?: ActingRole): Principal {
  const roles = readRoles(claims, paths, acting !== undefined);
  const [only] = roles;
  if (only === undefined || (acting === undefined && roles.length > 1)) throw refused('ROLE');
  const caller = acting ?? only;
  if (caller === 'OTHER' || !roles.includes(caller)) throw new ForbiddenError(NOT_HELD);
  const principal = principalAs(caller, claims, paths);
  if (principal === undefined) throw refused('RECORD');
  return principal;
}

/** The principal of the first role that a token holds, whichever was chosen; undefined where it names no record. */
export function readHolder(claims: unknown, paths: ClaimPaths): Principal | undefined {
  const [first] = readRoles(claims, paths, true);
  return first === undefined ? undefined : principalAs(first, claims, paths);
}

function principalAs(caller: Role, claims: unknown, paths: ClaimPaths): Principal | undefined {
  const { sub: subject } = readRegisteredClaims(claims);
  if (caller === 'ADMIN') return { role: caller, subject };
  const id = readRecordId(claims, paths, caller);
  return id === undefined ? undefined : ({ role: caller, subject, [ID_CLAIM[caller]]: id } as Principal);
}

/** Which of several roles is in use. */
export type ActingRole = Role | 'OTHER';

const NOT_HELD = 'The token does not hold the role of the header Acting-Role.';
