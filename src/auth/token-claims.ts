import { z } from 'zod';
import { ROLES, type Principal, type Role } from '../shared/access/index.js';
import type { ClaimPaths } from '../shared/env.js';
import { claimAt } from './claim-path.js';

/* What stands in a token (decisions, section 3). */

/** A token without these three is none of ours; `jti` is what it can be revoked by. Times are seconds since 1970. */
export const registeredClaims = z.object({
  sub: z.string().min(1).max(255),
  exp: z.number(),
  iat: z.number().optional(),
  jti: z.string().min(1).max(255).optional(),
});
export type RegisteredClaims = z.output<typeof registeredClaims>;

/** `CLINIC`, `role_clinic`, `Caregiver` …: read case-insensitively, with or without `ROLE_`, synonyms folded. */
const role = z
  .string()
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

/** The claims that make a principal; anything else in the token is ignored. */
export function readPrincipal(claims: unknown, paths: ClaimPaths): Principal | undefined {
  const read = <T>(schema: z.ZodType<T>, path: string) => schema.safeParse(claimAt(claims, path)).data;
  const subject = registeredClaims.safeParse(claims).data?.sub;
  // In the claim of ours a list is an attempt to be two; elsewhere lists are usual.
  const caller: Role | undefined = read(paths.role === 'role' ? role : roleAmong, paths.role);
  if (subject === undefined || caller === undefined) return undefined;
  if (caller === 'ADMIN') return { role: caller, subject };
  const claim = ID_CLAIM[caller];
  const id = read(paths[claim] === claim ? recordId : recordIdAsText, paths[claim]);
  return id === undefined ? undefined : ({ role: caller, subject, [claim]: id } as Principal);
}
