import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { z } from 'zod';
import { Environment } from '../../shared/config/env.js';
import { formatInstant, TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock, isBefore } from '../../shared/time/index.js';
import { parseCursor, toPage, type Page, type PageQuery } from '../../shared/validation/index.js';
import { DenyList } from './deny-list.js';
import { toRevokedTokenModel, type RevokedTokenModel, type RevokeToken } from './revoked-token.dto.js';
import { RevokedToken } from './revoked-token.entity.js';
import { MAX_CLOCK_SKEW_SECONDS } from '../token/token-claims.js';

const cursorSchema = z.tuple([z.int()]);

/** Revokes tokens, and lists revoked tokens. */
@Injectable()
export class RevokedTokenService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly denyList: DenyList,
    private readonly clock: Clock,
    private readonly environment: Environment,
  ) {}

  /**
   * Revokes a token: immediately on this instance, and within `JWT_REVOCATION_INTERVAL` on other instances. A second
   * revocation can only extend the first.
   */
  async revoke({ jti, expiresAt }: RevokeToken): Promise<RevokedTokenModel> {
    const revoked = await this.em.transactional(async (em) => {
      const [now, end] = [this.clock.now(), this.limitExpiry(expiresAt)].map(formatInstant);
      // One statement, because another request can revoke the same token at the same time.
      await sql`
        insert into revoked_token (jti, revoked_at, expires_at) values (${jti}, ${now}, ${end})
        on conflict (jti) do update set expires_at = greatest(revoked_token.expires_at, excluded.expires_at)`.execute(
        em.getKysely(),
      );
      return toRevokedTokenModel(await em.findOneOrFail(RevokedToken, { jti }));
    });
    this.denyList.add(jti);
    return revoked;
  }

  /** Returns revoked tokens that have not expired, oldest first. */
  list({ limit, cursor }: PageQuery): Promise<Page<RevokedTokenModel>> {
    return this.em.transactional(async (em) => {
      const [id = 0] = parseCursor(cursor, cursorSchema) ?? [];
      const where = { id: { $gt: id }, expiresAt: { $gt: this.clock.now() } };
      const tokens = await em.find(RevokedToken, where, { orderBy: { id: 'asc' }, limit: limit + 1 });
      return toPage(tokens, limit, (token) => [token.id], toRevokedTokenModel);
    });
  }

  /**
   * Limits an expiry to the longest possible token lifetime, so that every row can eventually be deleted. An expiry in
   * the past must be a mistake: without a row, the token would be accepted again.
   */
  private limitExpiry(requested: Temporal.Instant | null | undefined): Temporal.Instant {
    const now = this.clock.now();
    const latest = now.add(this.environment.token.maxLifetime).add({ seconds: MAX_CLOCK_SKEW_SECONDS });
    return requested && isBefore(now, requested) && isBefore(requested, latest) ? requested : latest;
  }
}
