import { z } from 'zod';
import { ROLES_ENDING_ACCESS, type AdministratorAccess } from '../../auth/index.js';
import { formatInstant } from '../../shared/persistence/index.js';
import {
  booleanQuery,
  integerBetween,
  longId,
  pageQuery,
  pageSchema,
  requestMeta,
  requiredText,
} from '../../shared/validation/index.js';

/* Request bodies and responses of the operations with which administrators get access to a Clinic's data. */

const REASON = 'Support ticket 4711: the week shows a Session twice.';
const DEFAULT_MINUTES = 30;
const MAX_MINUTES = 60;

export const createAdministratorAccessSchema = z
  .object({
    clinicId: longId('The Clinic whose data to read.'),
    reason: requiredText(500).meta({
      description: 'Why the data must be read, 1 to 500 characters. The Clinic reads it. Must not name a Client.',
      example: REASON,
    }),
    minutes: integerBetween(1, MAX_MINUTES)
      .nullish()
      .transform((minutes) => minutes ?? DEFAULT_MINUTES)
      .meta({
        description: `Minutes until the access ends by itself, 1 to ${MAX_MINUTES}. Default: ${DEFAULT_MINUTES}.`,
        example: 15,
      }),
  })
  .meta({
    id: 'CreateAdministratorAccess',
    description: 'The Clinic whose data to read, why, and for how long.',
    ...requestMeta(
      {},
      {
        short: { summary: 'For 15 minutes', value: { clinicId: 1, reason: REASON, minutes: 15 } },
      },
    ),
  });
export type CreateAdministratorAccess = z.output<typeof createAdministratorAccessSchema>;

export const administratorAccessQuery = pageQuery.extend({
  open: booleanQuery
    .optional()
    .meta({ description: 'Only accesses that are open (true), or only those that have ended (false).' }),
});
export type AdministratorAccessQuery = z.output<typeof administratorAccessQuery>;

const instant = (description: string, example: string | null) => z.string().meta({ description, example });

export const administratorAccessSchema = z
  .object({
    id: longId('Id of the access, for the header `Administrator-Access`.'),
    clinicId: longId('The Clinic.'),
    administrator: z.string().meta({ description: "Claim `sub` of the administrator's token.", example: 'admin' }),
    reason: z
      .string()
      .meta({ description: 'Why the data must be read. `[erased]` if the Clinic was erased.', example: REASON }),
    open: z.boolean().meta({ description: 'Whether the administrator can read the data now.', example: true }),
    openedAt: instant('Time of the opening.', '2027-03-21T09:30:00.000Z'),
    expiresAt: instant('When the access ends by itself.', '2027-03-21T09:45:00.000Z'),
    endedAt: instant('Time at which it was ended early. Null otherwise.', null).nullable(),
    endedBy: z.enum(ROLES_ENDING_ACCESS).nullable().meta({
      description: 'Who ended it early: the administrator or the Clinic. Null otherwise.',
      example: null,
    }),
  })
  .meta({ id: 'AdministratorAccess', description: 'An access of an administrator to the data of one Clinic.' });
export type AdministratorAccessModel = z.output<typeof administratorAccessSchema>;
export const administratorAccessPageSchema = pageSchema(administratorAccessSchema, 'AdministratorAccessPage');

export function toAdministratorAccessModel(
  access: AdministratorAccess,
  now: Temporal.Instant,
): AdministratorAccessModel {
  const { id, clinicId, administrator, reason, openedAt, expiresAt, endedAt, endedBy } = access;
  return {
    ...{ id, clinicId, administrator, reason, open: access.isOpen(now) },
    ...{ openedAt: formatInstant(openedAt), expiresAt: formatInstant(expiresAt) },
    ...{ endedAt: endedAt && formatInstant(endedAt), endedBy },
  };
}
