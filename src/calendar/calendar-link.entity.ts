import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../shared/persistence/index.js';
import { isBefore } from '../shared/time/index.js';
import type { TitleVisibility } from './title-visibility.js';

const CalendarLinkSchema = defineEntity({
  name: 'CalendarLink',
  tableName: 'calendar_link',
  properties: {
    id: columnTypes.id(),
    clinicId: columnTypes.reference(),
    /** The owner whose Sessions the feed contains: either a Care Provider or a Client. */
    caregiverId: columnTypes.reference().nullable().strictNullable(),
    clientId: columnTypes.reference().nullable().strictNullable(),
    titles: p.text().$type<TitleVisibility>(),
    /** Hexadecimal SHA-256 hash of the secret. The secret itself is not stored. */
    secretHash: p.text(),
    /** Hash of the secret before the last rotation, which works until `previousSecretUntil`. */
    previousSecretHash: p.text().nullable().strictNullable(),
    previousSecretUntil: columnTypes.instant().nullable().strictNullable(),
    createdAt: columnTypes.instant(),
    /** From this time on, the link returns 404, unless its owner renews it. */
    expiresAt: columnTypes.instant(),
    revokedAt: columnTypes.instant().nullable().strictNullable(),
  },
});

/** How long a link works after it was created, renewed or rotated. */
const LIFETIME = Temporal.Duration.from({ hours: 366 * 24 });
/** How long the previous secret works after a rotation, so that all devices can be changed. */
const OVERLAP = Temporal.Duration.from({ hours: 24 });

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
    this.previousSecretHash = null;
    this.previousSecretUntil = null;
    this.createdAt = now;
    this.revokedAt = null;
    this.renew(now);
  }

  get owner(): CalendarOwner {
    const { clinicId, caregiverId, clientId } = this;
    if (caregiverId !== null) return { clinicId, caregiverId };
    if (clientId !== null) return { clinicId, clientId };
    throw new Error('A calendar link without an owner');
  }

  /** Returns whether the hash is that of the link's current or previous secret, and this secret is still valid. */
  accepts(secretHash: string, now: Temporal.Instant): boolean {
    if (this.revokedAt !== null || !isBefore(now, this.expiresAt)) return false;
    if (secretHash === this.secretHash) return true;
    const { previousSecretHash, previousSecretUntil } = this;
    return secretHash === previousSecretHash && previousSecretUntil !== null && isBefore(now, previousSecretUntil);
  }

  /** Extends the link by a full lifetime from now, even if it has already expired. */
  renew(now: Temporal.Instant): void {
    this.expiresAt = now.add(LIFETIME);
  }

  /** Replaces the secret and renews the link. The secret of an expired link does not work again. */
  rotate(secretHash: string, now: Temporal.Instant): void {
    const isLive = isBefore(now, this.expiresAt);
    this.previousSecretHash = isLive ? this.secretHash : null;
    this.previousSecretUntil = isLive ? now.add(OVERLAP) : null;
    this.secretHash = secretHash;
    this.renew(now);
  }

  /** Revokes the link permanently. Idempotent. */
  revoke(now: Temporal.Instant): void {
    this.revokedAt ??= now;
  }
}
CalendarLinkSchema.setClass(CalendarLink);
