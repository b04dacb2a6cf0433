import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { CrossClinicReader, type ContactDetails } from '../../directory/index.js';
import { UNTRACKED } from '../../shared/persistence/index.js';
import { isTimeZone } from '../../shared/time/index.js';
import { Channels } from '../channel/channel-registry.js';
import {
  byOwner,
  effectivePreference,
  ownersOf,
  ReminderPreference,
  type EffectivePreference,
} from '../domain/preference/reminder-preference.entity.js';
import type { RecipientKind } from '../domain/reminder-rule.js';

export type Addressee = {
  contact: ContactDetails;
  preference: EffectivePreference;
  own: ReminderPreference | undefined;
  /** What of the recipient's settings is unknown to this release, so that the Clinic's is used. */
  fallback: string | undefined;
};

/** What is known of those who are to be reminded: where they can be reached, and how they want to be. */
@Injectable()
export class Recipients {
  constructor(
    private readonly em: EntityManager,
    private readonly contacts: CrossClinicReader,
    private readonly channels: Channels,
  ) {}

  /** By `<kind> <id>`; who has left is not among them. Within the caller's transaction. */
  async find(people: readonly { kind: RecipientKind; id: number }[]): Promise<Map<string, Addressee>> {
    const contacts = await this.contacts.findContactDetails(people);
    const preferences = await this.preferencesOf(people, [...contacts.values()]);
    const found = [...contacts].map(([key, given]): [string, Addressee] => {
      const { contact, fallback } = usable(given);
      const own = preferences.get(key);
      const clinic = preferences.get(`CLINIC ${contact.clinicId}`);
      const preference = effectivePreference(own, clinic, this.channels.configured, contact.timeZone);
      return [key, { contact, preference, own, fallback }];
    });
    return new Map(found);
  }

  private async preferencesOf(
    people: readonly { kind: RecipientKind; id: number }[],
    contacts: readonly ContactDetails[],
  ): Promise<Map<string, ReminderPreference>> {
    const clinicIds = [...new Set(contacts.map(({ clinicId }) => clinicId))];
    return byOwner(await this.em.find(ReminderPreference, { $or: ownersOf(people, clinicIds) }, UNTRACKED));
  }
}

function isUsableLocale(tag: string): boolean {
  try {
    new Intl.Locale(tag);
    return true;
  } catch {
    return false;
  }
}

/** A zone or a locale that another release has stored, or nobody has checked, must not keep anybody from being reminded. */
function usable(given: ContactDetails): { contact: ContactDetails; fallback: string | undefined } {
  const hasZone = isTimeZone(given.timeZone);
  const hasLocale = given.locale === null || isUsableLocale(given.locale);
  if (hasZone && hasLocale) return { contact: given, fallback: undefined };
  const clinicZone = isTimeZone(given.clinicTimeZone) ? given.clinicTimeZone : 'UTC';
  const clinicLocale = given.clinicLocale !== null && isUsableLocale(given.clinicLocale) ? given.clinicLocale : null;
  const contact = {
    ...given,
    timeZone: hasZone ? given.timeZone : clinicZone,
    locale: hasLocale ? given.locale : clinicLocale,
  };
  const fallback = [...(hasZone ? [] : ['TIME_ZONE']), ...(hasLocale ? [] : ['LOCALE'])].join(', ');
  return { contact, fallback };
}
