import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';
import type { TitleVisibility } from './title-visibility.js';

const CalendarLinkSchema = defineEntity({
  name: 'CalendarLink',
  tableName: 'calendar_link',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    /** Whose Sessions it shows: one of the two. */
    caregiverId: columns.reference().nullable().strictNullable(),
    clientId: columns.reference().nullable().strictNullable(),
    titles: p.text().$type<TitleVisibility>(),
    /** SHA-256 of the secret, hexadecimal: who reads the table cannot read the calendar. */
    secretHash: p.text(),
    createdAt: columns.instant(),
    revokedAt: columns.instant().nullable().strictNullable(),
  },
});

/** Whose calendar it is. Sessions and links are found by the same two fields. */
export type CalendarOwner = { clinicId: number; caregiverId: number } | { clinicId: number; clientId: number };

/** A secret address under which a calendar program finds the Sessions of its owner. */
export class CalendarLink extends CalendarLinkSchema.class {
  constructor(owner: CalendarOwner, data: { titles: TitleVisibility; secretHash: string }, now: Temporal.Instant) {
    super();
    this.clinicId = owner.clinicId;
    this.caregiverId = 'caregiverId' in owner ? owner.caregiverId : null;
    this.clientId = 'clientId' in owner ? owner.clientId : null;
    this.titles = data.titles;
    this.secretHash = data.secretHash;
    this.createdAt = now;
    this.revokedAt = null;
  }

  get owner(): CalendarOwner {
    const { clinicId, caregiverId, clientId } = this;
    if (caregiverId !== null) return { clinicId, caregiverId };
    if (clientId !== null) return { clinicId, clientId };
    throw new Error('A calendar link without an owner');
  }

  /** Closes it for good; a second time changes nothing. */
  revoke(now: Temporal.Instant): void {
    this.revokedAt ??= now;
  }
}
CalendarLinkSchema.setClass(CalendarLink);
