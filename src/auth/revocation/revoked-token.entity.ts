import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';

const RevokedTokenSchema = defineEntity({
  name: 'RevokedToken',
  tableName: 'revoked_token',
  properties: {
    id: columnTypes.id(),
    /** The token ID (RFC 7519, section 4.1.7). */
    jti: p.text(),
    revokedAt: columnTypes.instant(),
    /** Expiry of the token; the row can be deleted afterwards. */
    expiresAt: columnTypes.instant(),
  },
});

/** A token that is refused although it has not expired. */
export class RevokedToken extends RevokedTokenSchema.class {
  constructor(jti: string, expiresAt: Temporal.Instant, now: Temporal.Instant) {
    super();
    this.jti = jti;
    this.revokedAt = now;
    this.expiresAt = expiresAt;
  }
}
RevokedTokenSchema.setClass(RevokedToken);
