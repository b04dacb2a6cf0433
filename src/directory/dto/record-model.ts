import { z } from 'zod';
import { formatInstant } from '../../shared/persistence/index.js';
import { longId, requiredText, countedPageSchema, storableText, timeZone } from '../../shared/validation/index.js';
import type { Book } from '../domain/book.entity.js';
import type { Clinic } from '../domain/clinic.entity.js';
import type { CareProvider, Client } from '../domain/person.entity.js';

/* Request and response schemas for directory records. */

export const externalIdSchema = requiredText(200).meta({
  description: 'The id in your own system, unique among your records of this kind (409).',
  example: 'ehr-4711',
});
const active = z.boolean({ error: 'must be true or false' }).meta({
  description: 'False for a deactivated record: it is kept with all references to it, but nothing new can refer to it.',
  example: true,
});
const clinicName = requiredText(200).meta({ description: 'Name of the Clinic.', example: 'Demo Clinic North' });
const personName = requiredText(200).meta({ description: 'Full name.', example: 'Alex Example' });
const title = requiredText(300).meta({ description: 'Title of the Book.', example: 'Sleep diary' });
const description = requiredText(2_000)
  .nullable()
  .meta({ description: 'Description of the Book, or null.', example: 'One page for each night.' });
const link = storableText(2_000)
  .refine(isHttpsAddress, 'must be an https address without a user name')
  .nullable()
  .meta({
    description: 'An https link to the Book, or null.',
    example: 'https://example.org/sleep-diary',
  });
const email = z
  .email({ error: 'must be an e-mail address' })
  .max(254, 'must be at most 254 characters long')
  .nullable()
  .meta({ description: 'E-mail address for reminders, or null.', example: 'alex@example.org' });
const locale = storableText(35)
  .refine(isLanguageTag, 'must be a BCP 47 language tag such as en or de-AT')
  .nullable()
  .meta({ description: "BCP 47 language tag for reminders; null: the Clinic's, or English.", example: 'en' });
const clinicLocale = locale.meta({
  description: 'BCP 47 language tag for reminders to people without a locale of their own. Null for English.',
  example: 'en-GB',
});
const zone = timeZone.nullable().meta({ description: "IANA time zone; null: the Clinic's.", example: 'Europe/London' });

const newClinic = z.object({
  name: clinicName,
  timeZone,
  locale: clinicLocale.optional(),
  externalId: externalIdSchema.nullish(),
});
const newPerson = z.object({
  name: personName,
  email: email.optional(),
  timeZone: zone.optional(),
  locale: locale.optional(),
  externalId: externalIdSchema.nullish(),
});
const newBook = z.object({
  title,
  description: description.optional(),
  link: link.optional(),
  externalId: externalIdSchema.nullish(),
});
/**
 * The external ID in a change. An absent value keeps the ID; null clears it. The example differs from that of a new
 * record, because an external ID must be unique.
 */
const changedExternalId = externalIdSchema.nullable().optional().meta({ example: 'ehr-1001' });

export const createClinicSchema = newClinic.meta({ id: 'CreateClinic', description: 'A new Clinic.' });
export const putClinicSchema = newClinic
  .omit({ externalId: true })
  .extend({ active: active.optional() })
  .meta({ id: 'PutClinic', description: 'All fields of a Clinic.' });
export const changeClinicSchema = putClinicSchema
  .partial()
  .extend({ externalId: changedExternalId })
  .meta({ id: 'ChangeClinic', description: 'The fields of a Clinic to change. Absent fields do not change.' });

export const createPersonSchema = newPerson.meta({ id: 'CreatePerson', description: 'A new Care Provider or Client.' });
export const putPersonSchema = newPerson
  .omit({ externalId: true })
  .extend({ active: active.optional() })
  .meta({ id: 'PutPerson', description: 'All fields of a Care Provider or Client.' });
export const changePersonSchema = putPersonSchema.partial().extend({ externalId: changedExternalId }).meta({
  id: 'ChangePerson',
  description: 'The fields of a Care Provider or Client to change. Absent fields do not change.',
});

export const createBookSchema = newBook.meta({ id: 'CreateBook', description: 'A new homework Book.' });
export const putBookSchema = newBook
  .omit({ externalId: true })
  .extend({ active: active.optional() })
  .meta({ id: 'PutBook', description: 'All fields of a homework Book.' });
export const changeBookSchema = putBookSchema
  .partial()
  .extend({ externalId: changedExternalId })
  .meta({ id: 'ChangeBook', description: 'The fields of a homework Book to change. Absent fields do not change.' });

export type CreateClinic = z.output<typeof createClinicSchema>;
export type PutClinic = z.output<typeof putClinicSchema>;
export type ChangeClinic = z.output<typeof changeClinicSchema>;
export type CreatePerson = z.output<typeof createPersonSchema>;
export type PutPerson = z.output<typeof putPersonSchema>;
export type ChangePerson = z.output<typeof changePersonSchema>;
export type CreateBook = z.output<typeof createBookSchema>;
export type PutBook = z.output<typeof putBookSchema>;
export type ChangeBook = z.output<typeof changeBookSchema>;

const recordFields = {
  id: longId('Id of the record.'),
  externalId: z
    .string()
    .nullable()
    .meta({ description: 'The id in the system of record of the Clinic.', example: 'ehr-4711' }),
  active,
  version: z.int().meta({ description: 'Increases with each change: the `ETag`, for `If-Match`.', example: 1 }),
  createdAt: z.string().meta({ description: 'Creation time.', example: '2026-11-21T09:00:00.000Z' }),
};
const erasedAt = z.string().optional().meta({
  description: 'Only of an erased record: when its contents were erased.',
  example: '2026-11-24T09:30:00.000Z',
});
const clinicId = longId('The Clinic.');

export const clinicSchema = z
  .object({ ...recordFields, erasedAt, name: clinicName, timeZone, locale: clinicLocale })
  .meta({ id: 'Clinic', description: 'A Clinic.' });
export const careProviderSchema = z
  .object({ ...recordFields, erasedAt, clinicId, name: personName, email, timeZone: zone, locale })
  .meta({ id: 'CareProvider', description: 'A Care Provider (caregiver) of a Clinic.' });
export const clientSchema = z
  .object({
    ...recordFields,
    erasedAt,
    clinicId,
    name: personName,
    email,
    timeZone: zone,
    locale,
    careProviderIds: z
      .array(longId('A Care Provider.'))
      .meta({ description: 'The Care Providers the Client is assigned to.', example: [1] }),
  })
  .meta({ id: 'Client', description: 'A Client, registered at a Clinic.' });
export const bookSchema = z
  .object({
    ...recordFields,
    clinicId: clinicId
      .nullable()
      .meta({ description: 'The Clinic that the Book belongs to. Null for a Book of the shared catalogue.' }),
    title,
    description,
    link,
  })
  .meta({ id: 'Book', description: 'A homework Book.' });

export const clinicPageSchema = countedPageSchema(clinicSchema, 'ClinicPage');
export const careProviderPageSchema = countedPageSchema(careProviderSchema, 'CareProviderPage');
export const clientPageSchema = countedPageSchema(clientSchema, 'ClientPage');
export const bookPageSchema = countedPageSchema(bookSchema, 'BookPage');

export type ClinicView = z.output<typeof clinicSchema>;
export type CareProviderView = z.output<typeof careProviderSchema>;
export type ClientView = z.output<typeof clientSchema>;
export type BookView = z.output<typeof bookSchema>;

export function toClinicView(clinic: Clinic): ClinicView {
  const { name, timeZone, locale } = clinic;
  return { ...toRecordView(clinic), ...toErasedView(clinic), name, timeZone, locale };
}

export function toCareProviderView(careProvider: CareProvider): CareProviderView {
  return { ...toRecordView(careProvider), ...toErasedView(careProvider), ...toPersonView(careProvider) };
}

export function toClientView(client: Client, careProviderIds: number[]): ClientView {
  return { ...toRecordView(client), ...toErasedView(client), ...toPersonView(client), careProviderIds };
}

export function toBookView(book: Book): BookView {
  const { clinicId, title, description, link } = book;
  return { ...toRecordView(book), clinicId, title, description, link };
}

function toRecordView(record: Clinic | CareProvider | Client | Book) {
  const { id, externalId, active, version } = record;
  return { id, externalId, active, version, createdAt: formatInstant(record.createdAt) };
}

function toErasedView({ erasedAt: at }: Clinic | CareProvider | Client): { erasedAt?: string } {
  return at === null ? {} : { erasedAt: formatInstant(at) };
}

function toPersonView({ clinicId, name, email, timeZone, locale }: CareProvider | Client) {
  return { clinicId, name, email, timeZone, locale };
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function isHttpsAddress(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && !/\s/.test(address);
}
