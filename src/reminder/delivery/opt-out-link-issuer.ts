import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { afterCommit, bulkInsert } from '../../shared/persistence/index.js';
import { generateOptOutSecret, OptOutLink } from '../domain/preference/opt-out-link.entity.js';
import type { Reminder } from '../domain/reminder.entity.js';

/** Maximum number of recipients whose secret is cached. A full cache uses about 5 MB. */
const MAX_RECIPIENTS = 20_000;
/**
 * All messages to a recipient within a week share one secret, so that a recipient does not get a new link with each
 * message.
 */
const REUSED_MS = 7 * 86_400_000;

/**
 * Issues the secrets of opt-out links. The database stores only their hashes, so each instance caches the secrets that
 * it has issued. After a restart, recipients get new links.
 */
@Injectable()
export class OptOutLinkIssuer {
  private readonly secrets = new LRUCache<string, { secret: string; issuedAtMs: number }>({ max: MAX_RECIPIENTS });

  constructor(private readonly em: EntityManager) {}

  /**
   * Returns a secret for the recipient of each reminder, keyed by recipient key. All new links are stored with one
   * deferred statement. Runs in the caller's transaction.
   */
  async issue(reminders: readonly Reminder[], now: Temporal.Instant): Promise<Map<string, string>> {
    const secrets = new Map<string, string>();
    const links: OptOutLink[] = [];
    for (const { recipientKey, recipientKind: kind, recipientId: id, clinicId } of reminders) {
      const known = secrets.get(recipientKey) ?? this.findReusable(recipientKey, now);
      const secret = known ?? generateOptOutSecret();
      secrets.set(recipientKey, secret);
      if (known === undefined) links.push(new OptOutLink(clinicId, { kind, id }, secret, now));
    }
    if (links.length === 0) return secrets;
    await bulkInsert(this.em, OptOutLink, links, { deferred: true });
    // If the transaction is rolled back, its secrets are not stored and must not be reused.
    afterCommit(this.em, () => this.remember(secrets, now));
    return secrets;
  }

  private findReusable(recipientKey: string, now: Temporal.Instant): string | undefined {
    const issued = this.secrets.get(recipientKey);
    if (issued === undefined || now.epochMilliseconds - issued.issuedAtMs >= REUSED_MS) return undefined;
    return issued.secret;
  }

  private remember(secrets: ReadonlyMap<string, string>, { epochMilliseconds: issuedAtMs }: Temporal.Instant): void {
    for (const [recipientKey, secret] of secrets)
      if (this.secrets.get(recipientKey)?.secret !== secret) this.secrets.set(recipientKey, { secret, issuedAtMs });
  }
}
