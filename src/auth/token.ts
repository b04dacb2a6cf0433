import { SignJWT } from 'jose';
import { z } from 'zod';
import { ROLES, type Principal, type Role } from '../shared/access/index.js';
import type { TokenEnvironment } from '../shared/env.js';
import { signingSecret } from './secret.js';

/* What stands in a token (decisions, section 3). */

const recordId = z.int().min(1);

/** `CLINIC`, `role_clinic`, `Caregiver` …: read case-insensitively, with or without `ROLE_`, synonyms folded. */
const role = z
  .string()
  .transform((written) => written.toUpperCase().replace(/^ROLE_/, ''))
  .transform((written) => (written === 'CAREGIVER' || written === 'CAREPROVIDER' ? 'CARE_PROVIDER' : written))
  .pipe(z.enum(ROLES));

const common = { sub: z.string().min(1).max(255), exp: z.number() };

/** The claims that make a principal; anything else in the token is ignored. */
export const tokenClaims = z
  .object({
    ...common,
    role,
    clinicId: z.unknown().optional(),
    caregiverId: z.unknown().optional(),
    clientId: z.unknown().optional(),
  })
  .transform((claims, context): Principal => {
    const subject = claims.sub;
    const id = (claim: 'clinicId' | 'caregiverId' | 'clientId'): number => {
      const result = recordId.safeParse(claims[claim]);
      if (!result.success)
        context.issues.push({ code: 'custom', path: [claim], message: 'must be an id', input: claims });
      return result.data ?? Number.NaN;
    };
    if (claims.role === 'CLINIC') return { role: claims.role, subject, clinicId: id('clinicId') };
    if (claims.role === 'CARE_PROVIDER') return { role: claims.role, subject, caregiverId: id('caregiverId') };
    if (claims.role === 'CLIENT') return { role: claims.role, subject, clientId: id('clientId') };
    return { role: claims.role, subject };
  });

export type TokenRequest = { role: Role; id?: number; lifetime?: string };

const ID_CLAIM: Readonly<Record<Role, string | undefined>> = {
  CLINIC: 'clinicId',
  CARE_PROVIDER: 'caregiverId',
  CLIENT: 'clientId',
  ADMIN: undefined,
};

/**
 * Signs an access token with the shared secret of this environment.
 *
 * @throws Error where a key set verifies: its private keys are elsewhere
 */
export async function signToken(
  environment: TokenEnvironment,
  { role, id, lifetime = '1h' }: TokenRequest,
): Promise<string> {
  const secret = signingSecret(environment);
  if (secret === undefined) throw new Error('Tokens of a key set (JWT_JWKS_URL) are signed by its owner, not here.');
  const claim = ID_CLAIM[role];
  if (claim !== undefined && id === undefined) throw new Error(`A ${role} token needs --id <${claim}>.`);
  const token = new SignJWT({ role, ...(claim === undefined ? {} : { [claim]: id }) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(`${role.toLowerCase()}-${id ?? 0}`)
    .setIssuedAt()
    .setExpirationTime(lifetime);
  if (environment.issuer) token.setIssuer(environment.issuer);
  if (environment.audience) token.setAudience(environment.audience);
  return token.sign(Buffer.from(secret));
}
