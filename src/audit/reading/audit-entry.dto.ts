import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { instantQuery, longId, pageQuery, pageSchema } from '../../shared/validation/index.js';
import { ACCESS_TYPES, ACTOR_ROLES, type AuditEntry } from '../trail/audit-entry.entity.js';

/* An entry of the audit trail on the wire, and what entries are listed by. */

export const auditEntrySchema = z
  .object({
    id: longId('Id of the entry.', 4711),
    at: z.string().meta({ description: 'When, ISO 8601 in UTC.', example: '2027-03-21T09:30:00.000Z' }),
    actorRole: z.enum(ACTOR_ROLES).meta({
      description:
        'Who: the role of the token, or that of a secret link; `NOBODY` without a token, or with one that does not ' +
        'hold; `COMMAND` of a command that an operator has run.',
      example: 'CARE_PROVIDER',
    }),
    actorId: longId('The directory record that the token names; null where it names none.').nullable(),
    actorSubject: z.string().nullable().meta({
      description: '`sub` of the token; of a command the account of the operating system.',
      example: 'care-provider-1',
    }),
    access: z.enum(ACCESS_TYPES).meta({ description: 'A dry run reads.', example: 'READ' }),
    operation: z.string().meta({
      description: 'Method and path, as in this document; of a command its name, such as `command backup`.',
      example: 'GET /gateway/profile/caregiver/session/{id}',
    }),
    records: z.array(z.string()).meta({
      description:
        'What it was about, by kind and id: a thousand at most. More are in further entries with the same `requestId`.',
      example: ['session/12', 'client/1'],
    }),
    recordCount: z.int().meta({ description: 'How many they were, in all entries of the request.', example: 2 }),
    requestId: z.string().meta({
      description: 'The id of the request, as in problems and logs.',
      example: '018f3b1e-7c1a-7000-8000-000000000000',
    }),
    address: z.string().meta({ description: 'The address it came from.', example: '203.0.113.7' }),
    outcome: z.string().meta({ description: '`OK`, or the status with which it was denied.', example: 'OK' }),
    count: z.int().meta({
      description:
        'How many requests the entry stands for: 1, or more of denials without a token or of links, which are counted ' +
        'by address, operation and outcome for a minute once there has been one. The other fields are those of the first.',
      example: 1,
    }),
  })
  .meta({
    id: 'AuditEntry',
    description: 'One request: who, what, which records, when, from where, with which outcome.',
  });
export type AuditEntryModel = z.output<typeof auditEntrySchema>;

export const auditEntryPageSchema = pageSchema(auditEntrySchema, 'AuditEntryPage');

const filters = {
  from: instantQuery('Only entries of this instant or later.'),
  to: instantQuery('Only entries before this instant.'),
  actorRole: z
    .enum(ACTOR_ROLES, { error: `must be one of ${ACTOR_ROLES.join(', ')}` })
    .optional()
    .meta({ description: 'Only what these have done.', example: 'CARE_PROVIDER' }),
  actor: z
    .string()
    .regex(/^(clinic|care-provider|client)\/[1-9]\d{0,14}$/, 'must be an actor such as care-provider/1')
    .optional()
    .meta({ description: 'Only what this record of the directory has done.', example: 'care-provider/1' }),
  operation: z
    .string()
    .max(200)
    .refine((text) => !text.includes('\0'), 'must not contain the character NUL')
    .optional()
    .meta({
      description: 'Only this operation: method and path, as in this document.',
      example: 'GET /gateway/profile/caregiver/session/{id}',
    }),
  access: z
    .enum(ACCESS_TYPES, { error: `must be one of ${ACCESS_TYPES.join(', ')}` })
    .optional()
    .meta({ description: 'Only reads, or only writes.', example: 'READ' }),
  record: z
    .string()
    .regex(/^[a-z-]{1,40}\/[\w-]{1,40}$/, 'must be a kind and an id such as client/12')
    .optional()
    .meta({ description: 'Only what was about this record, by kind and id.', example: 'client/1' }),
  outcome: z
    .string()
    .regex(/^(OK|DENIED|4\d\d)$/, 'must be OK, DENIED, or a status such as 403')
    .optional()
    .meta({ description: '`OK`, `DENIED`, or the one status.', example: 'OK' }),
};

export const auditQuery = pageQuery.extend(filters);
export type AuditQuery = z.output<typeof auditQuery>;

/** How many lines one export has at most. */
export const EXPORT_LINES = 10_000;
export const auditExportQuery = pageQuery.pick({ cursor: true }).extend(filters);
export type AuditExportQuery = z.output<typeof auditExportQuery>;

export function toAuditEntryModel(entry: AuditEntry): AuditEntryModel {
  const { id, at, actorRole, actorId, actorSubject, access, operation, records } = entry;
  const { recordCount, requestId, address, outcome, count } = entry;
  return {
    ...{ id, at: formatInstant(at), actorRole, actorId, actorSubject, access, operation, records },
    ...{ recordCount, requestId, address, outcome, count },
  };
}
