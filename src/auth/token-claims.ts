import { z } from 'zod';
import { ROLES, type Principal, type Role } from '../shared/access/index.js';
import type { ClaimPaths } from '../shared/env.js';
import { text } from '../shared/validation/index.js';
import { claimAt } from './claim-path.js';
import { refused, type RefusalReason } from './refusal.js';

/* What stands in a token (decisions, section 3). */

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

/**
 * The one role among the groups, roles or scopes of an identity provider, a list or separated by spaces. Others
 * have entries there too, which are ignored; two roles of ours are none, as nobody has said which one is meant.
 */
const roleAmong = z
  .union([z.string().transform((written) => written.split(' ')), z.array(z.string())])
  .transform((entries) => [...new Set(entries.flatMap((entry) => role.safeParse(entry).data ?? []))])
  .pipe(z.tuple([z.enum(ROLES)]))
  .transform(([only]) => only);

const recordId = z.int().min(1);
/** Some identity providers can only write text into claims of one's own. */
const recordIdAsText = z.union([
  recordId,
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number)
    .pipe(recordId),
]);

/** Which claim names the directory record of a role. */
export const ID_CLAIM = {
  CLINIC: 'clinicId',
  CARE_PROVIDER: 'caregiverId',
  CLIENT: 'clientId',
  ADMIN: undefined,
} as const;

/** The role of a token; undefined where it does not name exactly one. */
export function readRole(claims: unknown, paths: ClaimPaths): Role | undefined {
  // In the claim of ours a list is an attempt to be two; elsewhere lists are usual.
  return (paths.role === 'role' ? role : roleAmong).safeParse(claimAt(claims, paths.role)).data;
}

/** The claims that make a principal; anything else in the token is ignored. */
export function readPrincipal(claims: unknown, paths: ClaimPaths): Principal | undefined {
  const subject = registeredClaims.safeParse(claims).data?.sub;
  const caller = readRole(claims, paths);
  if (subject === undefined || caller === undefined) return undefined;
  if (caller === 'ADMIN') return { role: caller, subject };
  const claim = ID_CLAIM[caller];
  const schema = paths[claim] === claim ? recordId : recordIdAsText;
  const id = schema.safeParse(claimAt(claims, paths[claim])).data;
  return id === undefined ? undefined : ({ role: caller, subject, [claim]: id } as Principal);
}
