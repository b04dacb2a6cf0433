import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Contacts, type Contact } from '../directory/index.js';
import { AS_IT_IS } from '../shared/persistence/index.js';
import { Channels } from './channel/channels.js';
import { effectivePreference, ReminderPreference, type EffectivePreference } from './preference.entity.js';
import type { RecipientKind } from './reminder.entity.js';

export type Addressee = { contact: Contact; preference: EffectivePreference; own: ReminderPreference | undefined };

/** What is known of those who are to be reminded: where they can be reached, and how they want to be. */
@Injectable()
export class Recipients {
  constructor(
    private readonly em: EntityManager,
    private readonly contacts: Contacts,
    private readonly channels: Channels,
  ) {}

  /** By `<kind> <id>`; who has left is not among them. Within the caller's transaction. */
  async find(people: readonly { kind: RecipientKind; id: number }[]): Promise<Map<string, Addressee>> {
    const contacts = await this.contacts.of(people);
    const preferences = await this.preferencesOf(people, [...contacts.values()]);
    const found = [...contacts].map(([key, contact]): [string, Addressee] => {
      const own = preferences.get(key);
      const clinic = preferences.get(`CLINIC ${contact.clinicId}`);
      const preference = effectivePreference(own, clinic, this.channels.configured, contact.timeZone);
      return [key, { contact, preference, own }];
    });
    return new Map(found);
  }

  private async preferencesOf(
    people: readonly { kind: RecipientKind; id: number }[],
    contacts: readonly Contact[],
  ): Promise<Map<string, ReminderPreference>> {
    const clinicIds = [...new Set(contacts.map(({ clinicId }) => clinicId))];
    const idsOf = (kind: RecipientKind) => people.filter((person) => person.kind === kind).map(({ id }) => id);
    const owners = [
      { ownerKind: 'CLINIC' as const, ownerId: { $in: clinicIds } },
      { ownerKind: 'CLIENT' as const, ownerId: { $in: idsOf('CLIENT') } },
      { ownerKind: 'CARE_PROVIDER' as const, ownerId: { $in: idsOf('CARE_PROVIDER') } },
    ];
    const rows = await this.em.find(ReminderPreference, { $or: owners }, AS_IT_IS);
    return new Map(rows.map((row) => [`${row.ownerKind} ${row.ownerId}`, row]));
  }
}
