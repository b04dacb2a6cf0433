import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { instantQuery, longId, pageQuery, pageSchema } from '../../shared/validation/index.js';
import { ACCESS_TYPES, ACTOR_ROLES, type AuditEntry } from '../trail/audit-entry.entity.js';

/* The representation of an audit entry in the API, and the query parameters for listing and exporting entries. */

export const auditEntrySchema = z
  .object({
    id: longId('Id of the record.'),
    at: z.string().meta({ description: 'Time of the request.', example: '2027-03-21T09:30:00.000Z' }),
    actorRole: z.enum(ACTOR_ROLES).meta({
      description:
        'The role of the token or of the secret link; `NOBODY` without a valid token; `COMMAND` for a command of an ' +
        'operator; `SYSTEM` for a change by the service.',
      example: 'CARE_PROVIDER',
    }),
    actorId: longId('Id of the directory record that the token names; null if it names none.').nullable(),
    actorSubject: z.string().nullable().meta({
      description: 'Claim `sub` of the token; for a command the operating system account.',
      example: 'care-provider-1',
    }),
    access: z
      .enum(ACCESS_TYPES)
      .meta({ description: 'Whether the request reads or writes. A dry run reads.', example: 'READ' }),
    operation: z.string().meta({
      description: 'Method and path as in this document; for a command its name, such as `command backup`.',
      example: 'GET /gateway/profile/caregiver/session/{id}',
    }),
    records: z.array(z.string()).meta({
      description:
        'Kind and id of the records, at most a thousand. Further entries with the same `requestId` contain the others.',
      example: ['session/12', 'client/1'],
    }),
    recordCount: z.int().meta({ description: 'Number of records in all entries of the request.', example: 2 }),
    requestId: z.string().meta({
      description: 'Id of the request, as in problems and logs.',
      example: '018f3b1e-7c1a-7000-8000-000000000000',
    }),
    address: z.string().meta({ description: 'Client address.', example: '203.0.113.7' }),
    outcome: z.string().meta({ description: '`OK`, or the status of a denied request.', example: 'OK' }),
    count: z.int().meta({
      description:
        'Number of requests that the entry represents, usually 1. Denied requests without a token or to secret links are ' +
        'counted after the first one, for a minute, by address, operation and outcome.',
      example: 1,
    }),
  })
  .meta({
    id: 'AuditEntry',
    description: 'One request with its actor, operation, records, time, address and outcome.',
  });
export type AuditEntryModel = z.output<typeof auditEntrySchema>;

export const auditEntryPageSchema = pageSchema(auditEntrySchema, 'AuditEntryPage');

const filters = {
  from: instantQuery('Only those whose time (start, due time, or time of the request) is this instant or later.'),
  to: instantQuery('Only those whose time is before this instant.'),
  actorRole: z
    .enum(ACTOR_ROLES, { error: `must be one of ${ACTOR_ROLES.join(', ')}` })
    .optional()
    .meta({ description: 'Only requests of this role.', example: 'CARE_PROVIDER' }),
  actor: z
    .string()
    .regex(/^(clinic|care-provider|client)\/[1-9]\d{0,14}$/, 'must be an actor such as care-provider/1')
    .optional()
    .meta({ description: 'Only requests of this actor, by kind and id.', example: 'care-provider/1' }),
  operation: z
    .string()
    .max(200)
    .refine((text) => !text.includes('\0'), 'must not contain the character NUL')
    .optional()
    .meta({
      description: 'Only this operation: method and path as in this document.',
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
    .meta({ description: 'Only entries that contain this record, by kind and id.', example: 'client/1' }),
  outcome: z
    .string()
    .regex(/^(OK|DENIED|4\d\d)$/, 'must be OK, DENIED, or a status such as 403')
    .optional()
    .meta({ description: '`OK`, `DENIED` for all denied requests, or a status.', example: 'OK' }),
};

export const auditQuery = pageQuery.extend(filters);
export type AuditQuery = z.output<typeof auditQuery>;

/** Maximum number of lines in an export. */
export const MAX_EXPORT_LINES = 10_000;
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
