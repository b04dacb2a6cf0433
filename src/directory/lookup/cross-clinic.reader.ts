// eslint-disable-next-line no-restricted-imports -- Reads records of all Clinics for jobs.
import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { UNTRACKED } from '../../shared/persistence/index.js';
import { Book } from '../domain/book.entity.js';
import { Clinic } from '../domain/clinic.entity.js';
import { CareProvider, Client, personKey, personRef, type PersonRef } from '../domain/person.entity.js';

/** The data that a reminder to one person needs. */
export type ContactDetails = {
  clinicId: number;
  email: string | null;
  /** BCP 47 language tag of the person, otherwise of the Clinic. */
  locale: string | null;
  /** IANA time zone of the person, otherwise of the Clinic. */
  timeZone: string;
  clinicTimeZone: string;
  clinicLocale: string | null;
};

/**
 * Reads records of all Clinics, for reminder jobs, which have no caller. Must not be used to answer a request. Requires a
 * transaction.
 */
@Injectable()
export class CrossClinicReader {
  constructor(private readonly em: EntityManager) {}

  /** Returns contact details by `personKey`, without people who are deactivated or whose Clinic is deactivated. */
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
      const { clinicId, email, locale, timeZone } = person;
      const clinic = clinicById.get(clinicId);
      if (clinic === undefined) return [];
      const personal = { timeZone: timeZone ?? clinic.timeZone, locale: locale ?? clinic.locale };
      const clinicDefaults = { clinicTimeZone: clinic.timeZone, clinicLocale: clinic.locale };
      return [[personKey(personRef(person)), { clinicId, email, ...personal, ...clinicDefaults }]];
    });
    return new Map(contacts);
  }

  /** Returns titles by Book id. */
  async findBookTitles(ids: readonly number[]): Promise<Map<number, string>> {
    const books = await this.em.find(Book, { id: { $in: [...new Set(ids)] } }, UNTRACKED);
    return new Map(books.map((book) => [book.id, book.title]));
  }
}
