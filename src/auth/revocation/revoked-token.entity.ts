import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../../shared/persistence/index.js';

const RevokedTokenSchema = defineEntity({
  name: 'RevokedToken',
  tableName: 'revoked_token',
  properties: {
    id: columns.id(),
    /** The claim of the token that is its own name (RFC 7519, section 4.1.7). */
    jti: p.text(),
    revokedAt: columns.instant(),
    /** From then on the token does not hold anyway, and the row can go. */
    expiresAt: columns.instant(),
  },
});

/** A token that does not hold any more, though its time is not over. */
export class RevokedToken extends RevokedTokenSchema.class {
  constructor(jti: string, expiresAt: Temporal.Instant, now: Temporal.Instant) {
    super();
    this.jti = jti;
    this.revokedAt = now;
    this.expiresAt = expiresAt;
  }

  /** Revoked once more: it stays until the later of both ends. */
  extend(expiresAt: Temporal.Instant): void {
    if (Temporal.Instant.compare(expiresAt, this.expiresAt) > 0) this.expiresAt = expiresAt;
  }
}
RevokedTokenSchema.setClass(RevokedToken);
