import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { countedPageSchema, longId } from '../../shared/validation/index.js';
import { chooseLocale } from '../domain/locale-choice.js';
import type { CareProvider, Client } from '../domain/person.entity.js';
import { chooseTimeZone } from '../domain/time-zone-choice.js';

/*
 * Response models with which Care Providers read the directory. They contain no e-mail addresses, because the service
 * sends all messages. The name is the only personal data of colleagues that they contain.
 */

const name = z.string().meta({ description: 'Full name.', example: 'Alex Example' });
const active = z.boolean().meta({
  description: 'False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.',
  example: true,
});

export const assignedClientSchema = z
  .object({
    id: longId('Id of the record.'),
    externalId: z
      .string()
      .nullable()
      .meta({ description: 'The id in the system of record of the Clinic.', example: 'ehr-4711' }),
    name,
    timeZone: z
      .string()
      .meta({ description: "IANA time zone: the Client's own, or the Clinic's.", example: 'Europe/London' }),
    locale: z.string().nullable().meta({
      description: "BCP 47 language tag: the Client's own, or the Clinic's. Null for English.",
      example: 'en',
    }),
    active,
    hasEmail: z.boolean().meta({
      description: 'Whether the Client can get reminders by e-mail. The address is not shown.',
      example: true,
    }),
    assignedAt: z.string().meta({
      description: 'When the Client was assigned to the caller.',
      example: '2026-11-21T09:00:00.000Z',
    }),
  })
  .meta({ id: 'AssignedClient', description: 'A Client that is assigned to the caller.' });

export const colleagueSchema = z
  .object({ id: longId('Id of the record.'), name, active })
  .meta({ id: 'Colleague', description: "A Care Provider of the caller's Clinic." });

export const assignedClientPageSchema = countedPageSchema(assignedClientSchema, 'AssignedClientPage');
export const colleaguePageSchema = countedPageSchema(colleagueSchema, 'ColleaguePage');

export type AssignedClientView = z.output<typeof assignedClientSchema>;
export type ColleagueView = z.output<typeof colleagueSchema>;

export function toAssignedClientView(
  client: Readonly<Client>,
  assignedAt: Temporal.Instant,
  clinic: { timeZone: string; locale: string | null },
): AssignedClientView {
  const { id, externalId, active, email } = client;
  return {
    ...{ id, externalId, name: client.name, active, hasEmail: email !== null, assignedAt: formatInstant(assignedAt) },
    ...{ timeZone: chooseTimeZone(client, clinic), locale: chooseLocale(client, clinic) },
  };
}

export function toColleagueView({ id, name, active }: Readonly<CareProvider>): ColleagueView {
  return { id, name, active };
}
