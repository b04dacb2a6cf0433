import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';
import type { TitleVisibility } from './title-visibility.js';

const CalendarLinkSchema = defineEntity({
  name: 'CalendarLink',
  tableName: 'calendar_link',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    /** The owner whose Sessions the feed contains: either a Care Provider or a Client. */
    caregiverId: columns.reference().nullable().strictNullable(),
    clientId: columns.reference().nullable().strictNullable(),
    titles: p.text().$type<TitleVisibility>(),
    /** Hexadecimal SHA-256 hash of the secret. The secret itself is not stored. */
    secretHash: p.text(),
    createdAt: columns.instant(),
    revokedAt: columns.instant().nullable().strictNullable(),
  },
});

/** The owner of a calendar, as a filter that works for both Sessions and links. */
export type CalendarOwner = { clinicId: number; caregiverId: number } | { clinicId: number; clientId: number };

/** A secret URL from which a calendar program reads the owner's Sessions. */
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

  /** Revokes the link permanently. Idempotent. */
  revoke(now: Temporal.Instant): void {
    this.revokedAt ??= now;
  }
}
CalendarLinkSchema.setClass(CalendarLink);
