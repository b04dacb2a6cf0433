import { z } from 'zod';
import { ROLES_WITH_RECORD, subjectSchema, type RoleWithRecord, type RevokedTokenHolder } from '../../auth/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import { isoInstant, longId, pageSchema, requestMeta } from '../../shared/validation/index.js';

/* Request bodies and responses of the operations that revoke all tokens of a subject or record. */

/** The kinds of directory records that a token can name, in the form used by the audit trail. */
const KINDS: Readonly<Record<RoleWithRecord, string>> = {
  CLINIC: 'clinic',
  CARE_PROVIDER: 'care-provider',
  CLIENT: 'client',
};
const RECORD = /^(clinic|care-provider|client)\/([1-9]\d{0,14})$/;
const EXAMPLE = { record: 'client/1', subject: 'auth0|5f7c8ec7c33c6c004bbafe82', issuedBefore: '2026-11-21T09:00:00Z' };

/** The directory record that the tokens name. */
export type NamedRecord = { role: RoleWithRecord; recordId: number };

const recordField = z
  .string({ error: 'must be a string' })
  .regex(RECORD, 'must be a kind and an id: clinic/1, care-provider/1 or client/1')
  .transform((name): NamedRecord => {
    const [, kind, id] = RECORD.exec(name)!;
    return { role: ROLES_WITH_RECORD.find((role) => KINDS[role] === kind)!, recordId: Number(id) };
  })
  .nullish();
const subjectField = subjectSchema.nullish();
const issuedBeforeField = isoInstant.nullish().meta({
  description:
    'Tokens are refused whose claim `iat` is before this instant, and tokens without `iat`. Absent or null: now. At ' +
    'most a minute ahead.',
  example: EXAMPLE.issuedBefore,
});

export const revokeTokenHolderSchema = z
  .object({
    record: recordField.meta({
      description: 'The record that the tokens name, by kind and id: the own Clinic, or one of its people.',
      example: EXAMPLE.record,
    }),
    subject: subjectField.meta({
      description: 'Only tokens with this claim `sub`. Absent or null: those of all subjects of the record.',
      example: EXAMPLE.subject,
    }),
    issuedBefore: issuedBeforeField,
  })
  .refine(({ record }) => record != null, { path: ['record'], error: 'is required' })
  .meta({
    id: 'RevokeTokenHolder',
    description: 'The record whose tokens to revoke.',
    ...requestMeta(
      {},
      {
        until: {
          summary: 'The tokens of a Client from before an instant',
          value: { record: EXAMPLE.record, issuedBefore: EXAMPLE.issuedBefore },
        },
        account: { summary: 'One account of the Clinic', value: { ...EXAMPLE, record: 'clinic/1' } },
      },
    ),
  });

export const revokeAnyTokenHolderSchema = z
  .object({
    subject: subjectField.meta({
      description: 'Only tokens with this claim `sub`. Absent or null: those of all subjects of the record.',
      example: EXAMPLE.subject,
    }),
    record: recordField.meta({
      description:
        'Only tokens that name this record, by kind and id, of any Clinic. Absent or null: all tokens of the subject.',
      example: EXAMPLE.record,
    }),
    issuedBefore: issuedBeforeField,
  })
  .refine(({ record, subject }) => record != null || subject != null, {
    path: ['subject'],
    error: 'is required if there is no record',
  })
  .meta({
    id: 'RevokeAnyTokenHolder',
    description: 'The subject or record whose tokens to revoke.',
    ...requestMeta(
      {},
      {
        until: {
          summary: 'The tokens of a subject from before an instant',
          value: { subject: EXAMPLE.subject, issuedBefore: EXAMPLE.issuedBefore },
        },
        record: {
          summary: 'The tokens of a Clinic',
          value: { record: 'clinic/1', issuedBefore: EXAMPLE.issuedBefore },
        },
      },
    ),
  });
export type RevokeTokenHolder = z.output<typeof revokeAnyTokenHolderSchema>;

const instant = (description: string, example: string) => z.string().meta({ description, example });

export const revokedTokenHolderSchema = z
  .object({
    id: longId('Id of the record.'),
    subject: z.string().nullable().meta({
      description: 'The claim `sub` of the tokens. Null: of all subjects of the record.',
      example: EXAMPLE.subject,
    }),
    record: z.string().nullable().meta({
      description: 'The record that the tokens name, by kind and id. Null: all tokens of the subject.',
      example: EXAMPLE.record,
    }),
    issuedBefore: instant('Tokens from before are refused.', '2026-11-21T09:00:00.000Z'),
    revokedAt: instant('Time of the last revocation.', '2026-11-21T09:00:00.000Z'),
    expiresAt: instant('When these tokens have all expired.', '2026-11-22T09:01:00.000Z'),
  })
  .meta({ id: 'RevokedTokenHolder', description: 'A subject or record whose tokens are revoked.' });
export type RevokedTokenHolderModel = z.output<typeof revokedTokenHolderSchema>;
export const revokedTokenHolderPageSchema = pageSchema(revokedTokenHolderSchema, 'RevokedTokenHolderPage');

export function toRevokedTokenHolderModel(holder: RevokedTokenHolder): RevokedTokenHolderModel {
  const { id, subject, role, recordId, issuedBefore, revokedAt, expiresAt } = holder;
  return {
    ...{ id, subject, record: role === null ? null : `${KINDS[role]}/${recordId}` },
    ...{ issuedBefore: formatInstant(issuedBefore), revokedAt: formatInstant(revokedAt) },
    expiresAt: formatInstant(expiresAt),
  };
}
