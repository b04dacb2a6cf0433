import { defineEntity, p } from '@mikro-orm/core';
import { hash, randomBytes } from 'node:crypto';
import { columnTypes } from '../../../shared/persistence/index.js';
import { REMINDER_KINDS, type Recipient, type RecipientKind, type ReminderKind } from '../reminder-kinds.js';

/** The format of the secret in opt-out links: 24 random bytes in base64url. Other strings are not looked up. */
export const OPT_OUT_SECRET_PATTERN = /^[\w-]{32}$/;

/** How long a link works. People may open it in an old e-mail, and mail programs may use it to unsubscribe. */
const LIFETIME = Temporal.Duration.from({ hours: 90 * 24 });

/** The path segment of a link that ends all kinds of reminders, for messages with reminders of several kinds. */
const ALL_KINDS = 'all';

/** Returns the path segment that names the kinds of reminders in a message, which its link ends. */
export function toOptOutSegment(kinds: readonly ReminderKind[]): string {
  return new Set(kinds).size > 1 ? ALL_KINDS : kinds[0]!.toLowerCase();
}

/** Returns the kinds of reminders that a link with this path segment ends. An unknown segment has none. */
export function parseOptOutSegment(segment: string): readonly ReminderKind[] {
  return REMINDER_KINDS.filter((kind) => segment === ALL_KINDS || segment === kind.toLowerCase());
}

export function generateOptOutSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** Returns the hexadecimal hash to store. A secret with 192 random bits needs neither salt nor key stretching. */
export function hashOptOutSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

const OptOutLinkSchema = defineEntity({
  name: 'OptOutLink',
  tableName: 'opt_out_link',
  properties: {
    /** Hexadecimal SHA-256 hash of the secret. The secret itself is not stored. */
    secretHash: p.text().primary(),
    clinicId: columnTypes.reference(),
    ownerKind: p.text().$type<RecipientKind>(),
    ownerId: columnTypes.reference(),
    expiresAt: columnTypes.instant(),
  },
});

/** A link in a message with which the recipient can opt out of reminders without signing in. */
export class OptOutLink extends OptOutLinkSchema.class {
  constructor(clinicId: number, owner: Recipient, secret: string, now: Temporal.Instant) {
    super();
    this.secretHash = hashOptOutSecret(secret);
    this.clinicId = clinicId;
    this.ownerKind = owner.kind;
    this.ownerId = owner.id;
    this.expiresAt = now.add(LIFETIME);
  }

  hasExpired(now: Temporal.Instant): boolean {
    return Temporal.Instant.compare(this.expiresAt, now) <= 0;
  }
}
OptOutLinkSchema.setClass(OptOutLink);
