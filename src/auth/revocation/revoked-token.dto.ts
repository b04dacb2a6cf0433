import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { isoInstant, longId, pageSchema, requestMeta } from '../../shared/validation/index.js';
import type { RevokedToken } from './revoked-token.entity.js';
import { tokenIdSchema } from '../token/token-claims.js';

/* Request bodies and responses of the operations for revoked tokens. */

const EXAMPLE = { jti: '6f1c2d3e-4b5a-4968-8776-a5b4c3d2e1f0', expiresAt: '2027-03-28T08:30:00.000Z' };

export const revokeTokenSchema = z
  .object({
    jti: tokenIdSchema.meta({ description: 'The claim `jti` of the token.', example: EXAMPLE.jti, minLength: 1 }),
    expiresAt: isoInstant.nullish().meta({
      description:
        'When the token expires (its claim `exp`). Absent, null, in the past, or later than the longest lifetime of a ' +
        'token: the longest lifetime from now.',
      example: EXAMPLE.expiresAt,
    }),
  })
  .meta({
    id: 'RevokeToken',
    description: 'The token to revoke.',
    ...requestMeta(
      {},
      {
        until: { summary: 'With its expiry', value: EXAMPLE },
      },
    ),
  });
export type RevokeToken = z.output<typeof revokeTokenSchema>;

const instant = (description: string, example: string) => z.string().meta({ description, example });

export const revokedTokenSchema = z
  .object({
    id: longId('Id of the record.'),
    jti: z.string().meta({ description: 'The claim `jti` of the token.', example: EXAMPLE.jti }),
    revokedAt: instant('Time of the revocation.', '2026-11-21T09:00:00.000Z'),
    expiresAt: instant('Time until which the token is refused.', EXAMPLE.expiresAt),
  })
  .meta({ id: 'RevokedToken', description: 'A revoked token.' });
export type RevokedTokenModel = z.output<typeof revokedTokenSchema>;
export const revokedTokenPageSchema = pageSchema(revokedTokenSchema, 'RevokedTokenPage');

export function toRevokedTokenModel({ id, jti, revokedAt, expiresAt }: RevokedToken): RevokedTokenModel {
  return { id, jti, revokedAt: formatInstant(revokedAt), expiresAt: formatInstant(expiresAt) };
}
