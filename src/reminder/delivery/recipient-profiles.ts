import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { chooseTimeZone, CrossClinicReader, type ContactDetails } from '../../directory/index.js';
import { UNTRACKED } from '../../shared/persistence/index.js';
import { isTimeZone } from '../../shared/time/index.js';
import { ChannelRegistry } from '../channel/channel-registry.js';
import {
  indexPreferencesByOwner,
  ReminderPreference,
  resolvePreference,
  toPreferenceOwnerFilter,
  type EffectivePreference,
} from '../domain/preference/reminder-preference.entity.js';
import type { Recipient } from '../domain/reminder-kinds.js';

/** The contact details and the preference of a recipient. */
export type RecipientProfile = {
  contact: ContactDetails;
  preference: EffectivePreference;
  /** The recipient's own preference, without the Clinic's defaults. */
  ownPreference: ReminderPreference | undefined;
  /**
   * The settings whose values this release does not know: TIME_ZONE, LOCALE or both. The Clinic's values are used
   * instead.
   */
  fallback: string | undefined;
};

/** Reads the profiles of recipients. */
@Injectable()
export class RecipientProfiles {
  constructor(
    private readonly em: EntityManager,
    private readonly crossClinic: CrossClinicReader,
    private readonly channels: ChannelRegistry,
  ) {}

  /**
   * Finds the profiles of recipients. Runs in the caller's transaction.
   *
   * @returns profiles by recipient key, without inactive recipients
   */
  async find(recipients: readonly Recipient[]): Promise<Map<string, RecipientProfile>> {
    const contacts = await this.crossClinic.findContactDetails(recipients);
    const preferences = await this.findPreferences(recipients, [...contacts.values()]);
    const profiles = [...contacts].map(([key, stored]): [string, RecipientProfile] => {
      const { contact, fallback } = withUsableSettings(stored);
      const ownPreference = preferences.get(key);
      const clinicDefaults = preferences.get(`CLINIC ${contact.clinicId}`);
      const { configuredNames } = this.channels;
      const preference = resolvePreference(ownPreference, clinicDefaults, configuredNames, contact.timeZone);
      return [key, { contact, preference, ownPreference, fallback }];
    });
    return new Map(profiles);
  }

  private async findPreferences(
    recipients: readonly Recipient[],
    contacts: readonly ContactDetails[],
  ): Promise<Map<string, ReminderPreference>> {
    const clinicIds = [...new Set(contacts.map(({ clinicId }) => clinicId))];
    const where = { clinicId: { $in: clinicIds }, $or: toPreferenceOwnerFilter(recipients, clinicIds) };
    return indexPreferencesByOwner(await this.em.find(ReminderPreference, where, UNTRACKED));
  }
}

function isLocale(tag: string): boolean {
  try {
    new Intl.Locale(tag);
    return true;
  } catch {
    return false;
  }
}

/**
 * Replaces an unknown time zone or locale with the Clinic's. Another release may have stored the unknown value, and the
 * reminder must still be sent.
 */
function withUsableSettings(stored: ContactDetails): { contact: ContactDetails; fallback: string | undefined } {
  const hasZone = isTimeZone(stored.timeZone);
  const hasLocale = stored.locale === null || isLocale(stored.locale);
  if (hasZone && hasLocale) return { contact: stored, fallback: undefined };
  const clinicLocale = stored.clinicLocale !== null && isLocale(stored.clinicLocale) ? stored.clinicLocale : null;
  const contact = {
    ...stored,
    timeZone: chooseTimeZone(stored, { timeZone: stored.clinicTimeZone }),
    locale: hasLocale ? stored.locale : clinicLocale,
  };
  const fallback = [...(hasZone ? [] : ['TIME_ZONE']), ...(hasLocale ? [] : ['LOCALE'])].join(', ');
  return { contact, fallback };
}
