// eslint-disable-next-line no-restricted-imports -- Jobs read records from all Clinics.
import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { isUnreadableText, UNREADABLE_TEXT_PLACEHOLDER, UNTRACKED } from '../../shared/persistence/index.js';
import { Book } from '../domain/book.entity.js';
import { Clinic } from '../domain/clinic.entity.js';
import { chooseLocale } from '../domain/locale-choice.js';
import { CareProvider, Client, toPersonKey, toPersonRef, type PersonRef } from '../domain/person.entity.js';

/** The data needed to send a reminder to one person. */
export type ContactDetails = {
  clinicId: number;
  email: string | null;
  /** Whether the person's e-mail address cannot be decrypted, for example because its key is missing. */
  isEmailUnreadable: boolean;
  /** The person's BCP 47 language tag, or the Clinic's if the person has none. */
  locale: string | null;
  /** The person's IANA time zone, or the Clinic's if the person has none. */
  timeZone: string;
  clinicTimeZone: string;
  clinicLocale: string | null;
};

/**
 * Reads records from all Clinics for reminder jobs, which have no caller. Requires a transaction. A request may read
 * only records that a row of the caller's own Clinic refers to; row-level security hides all others.
 */
@Injectable()
export class CrossClinicReader {
  constructor(private readonly em: EntityManager) {}

  /** Returns the contact details of active people in active Clinics, keyed by `toPersonKey`. */
  async findContactDetails(people: readonly PersonRef[]): Promise<Map<string, ContactDetails>> {
    const idsOfKind = (kind: PersonRef['kind']) => people.filter((person) => person.kind === kind).map(({ id }) => id);
    const clients = await this.em.find(Client, { id: { $in: idsOfKind('CLIENT') }, active: true }, UNTRACKED);
    const careProviderIds = { $in: idsOfKind('CARE_PROVIDER') };
    const careProviders = await this.em.find(CareProvider, { id: careProviderIds, active: true }, UNTRACKED);
    const found = [...clients, ...careProviders];
    const clinicIds = [...new Set(found.map(({ clinicId }) => clinicId))];
    const clinics = await this.em.find(Clinic, { id: { $in: clinicIds }, active: true }, UNTRACKED);
    const clinicById = new Map(clinics.map((clinic) => [clinic.id, clinic]));
    const contacts = found.flatMap((person): [string, ContactDetails][] => {
      const { clinicId, timeZone } = person;
      const email = isUnreadableText(person.email) ? null : person.email;
      const isEmailUnreadable = person.email === UNREADABLE_TEXT_PLACEHOLDER;
      const clinic = clinicById.get(clinicId);
      if (clinic === undefined) return [];
      const personal = { timeZone: timeZone ?? clinic.timeZone, locale: chooseLocale(person, clinic) };
      const clinicDefaults = { clinicTimeZone: clinic.timeZone, clinicLocale: clinic.locale };
      return [
        [toPersonKey(toPersonRef(person)), { clinicId, email, isEmailUnreadable, ...personal, ...clinicDefaults }],
      ];
    });
    return new Map(contacts);
  }

  /** Returns Book titles keyed by Book ID. */
  async findBookTitles(ids: readonly number[]): Promise<Map<number, string>> {
    const books = await this.em.find(Book, { id: { $in: [...new Set(ids)] } }, UNTRACKED);
    return new Map(books.map((book) => [book.id, book.title]));
  }
}
