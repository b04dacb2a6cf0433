import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { getSystemTimeMs } from '../../time/index.js';
import { WrappingUnavailableError } from './key-wrapper.js';
import type { VaultClient } from './vault-client.js';

/** Durations are in seconds. `ttl` is 0 for a token that does not expire. */
const tokenLookupSchema = z.object({
  data: z.object({ ttl: z.number(), creation_ttl: z.number(), renewable: z.boolean() }),
});
const renewalSchema = z.object({ auth: z.object({ lease_duration: z.number() }) });

/**
 * Renews the Vault token once half of its lifetime has passed. `creation_ttl` remains the original lifetime when a
 * token is renewed.
 */
export class VaultTokenRenewal {
  /** When the token expires, in seconds since 1970; undefined if it does not expire. */
  expiry: number | undefined;
  readonly renewals = { success: 0, failure: 0 };
  private readonly logger = new Logger('Encryption');

  constructor(private readonly client: VaultClient) {}

  /**
   * Renews the token if at most half of its lifetime is left.
   *
   * @throws WrappingUnavailableError if Vault does not answer or refuses
   */
  async renewIfDue(): Promise<void> {
    const { ttl, creation_ttl: lifetime, renewable } = await this.readTokenState();
    this.expiry = ttl === 0 ? undefined : toExpiry(ttl);
    if (!renewable || ttl === 0 || ttl > lifetime / 2) return;
    try {
      this.expiry = toExpiry(await this.renew());
      this.renewals.success += 1;
    } catch (error) {
      this.renewals.failure += 1;
      const code = error instanceof WrappingUnavailableError ? error.code : undefined;
      this.logger.error({ code, expiresInSeconds: ttl }, 'the token of Vault cannot be renewed');
      throw error;
    }
  }

  private async readTokenState() {
    const { body } = await this.client.call('GET', 'auth/token/lookup-self');
    const answer = tokenLookupSchema.safeParse(body);
    if (!answer.success) throw new WrappingUnavailableError('vault-answer', 'Vault does not describe its token');
    return answer.data.data;
  }

  /** Returns the number of seconds until the renewed token expires. */
  private async renew(): Promise<number> {
    const { body } = await this.client.call('POST', 'auth/token/renew-self', {});
    const answer = renewalSchema.safeParse(body);
    if (!answer.success) throw new WrappingUnavailableError('vault-answer', 'Vault does not confirm the renewal');
    return answer.data.auth.lease_duration;
  }
}

function toExpiry(seconds: number): number {
  return Math.round(getSystemTimeMs() / 1_000) + seconds;
}
