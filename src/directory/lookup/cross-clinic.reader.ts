import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { UNTRACKED } from '../../shared/persistence/index.js';
import { Book } from '../domain/book.entity.js';
import { Clinic } from '../domain/clinic.entity.js';
import { CareProvider, Client } from '../domain/person.entity.js';

export type PersonKind = 'CLIENT' | 'CARE_PROVIDER';

/** Where somebody can be reached, and how. */
export type ContactDetails = {
  clinicId: number;
  email: string | null;
  /** Their own, or the Clinic's. */
  locale: string | null;
  timeZone: string;
  clinicTimeZone: string;
  clinicLocale: string | null;
};

/**
 * What the reminders may ask of the directory, which serve all Clinics at once and no caller. Never to be used
 * to answer a request. To be called within a transaction.
 */
@Injectable()
export class CrossClinicReader {
  constructor(private readonly em: EntityManager) {}

  /** By `<kind> <id>`; who has left, or whose Clinic has, is not among them. */
  async findContactDetails(people: readonly { kind: PersonKind; id: number }[]): Promise<Map<string, ContactDetails>> {
    const idsOf = (kind: PersonKind) => people.filter((person) => person.kind === kind).map(({ id }) => id);
    const clients = await this.em.find(Client, { id: { $in: idsOf('CLIENT') }, active: true }, UNTRACKED);
    const careProviderIds = { $in: idsOf('CARE_PROVIDER') };
    const careProviders = await this.em.find(CareProvider, { id: careProviderIds, active: true }, UNTRACKED);
    const found = [...clients, ...careProviders];
    const clinicIds = [...new Set(found.map(({ clinicId }) => clinicId))];
    const clinics = await this.em.find(Clinic, { id: { $in: clinicIds }, active: true }, UNTRACKED);
    const clinicById = new Map(clinics.map((clinic) => [clinic.id, clinic]));
    const contacts = found.flatMap((person): [string, ContactDetails][] => {
      const { id, clinicId, email, locale, timeZone } = person;
      const clinic = clinicById.get(clinicId);
      if (clinic === undefined) return [];
      const kind: PersonKind = person instanceof Client ? 'CLIENT' : 'CARE_PROVIDER';
      const own = { timeZone: timeZone ?? clinic.timeZone, locale: locale ?? clinic.locale };
      const ofClinic = { clinicTimeZone: clinic.timeZone, clinicLocale: clinic.locale };
      return [[`${kind} ${id}`, { clinicId, email, ...own, ...ofClinic }]];
    });
    return new Map(contacts);
  }

  /** The titles of Books, by their ids. */
  async findBookTitles(ids: readonly number[]): Promise<Map<number, string>> {
    const books = await this.em.find(Book, { id: { $in: [...new Set(ids)] } }, UNTRACKED);
    return new Map(books.map((book) => [book.id, book.title]));
  }
}
