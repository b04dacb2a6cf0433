import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { createInstallationDigest, encryptionOf } from '../shared/persistence/index.js';
import { RateLimitCount } from './rate-limit-count.entity.js';

/** Stores the request counts across all instances in a table. An instance adds all its counts with one statement. */
@Injectable()
export class SharedRateLimitCounts {
  private lastCleanUp = 0;
  /** Kept, so that counting does not depend on the key store while the service runs. */
  private computeDigest: ((key: string) => string) | undefined;

  constructor(private readonly em: EntityManager) {}

  /**
   * Adds to the counts for a minute and returns the totals across all instances, by the same keys.
   *
   * @param minute in minutes since 1970
   * @throws the driver's error if the database cannot be reached, or KeysUnavailableError
   */
  async addCounts(minute: number, counts: ReadonlyMap<string, number>): Promise<Map<string, number>> {
    // The table stores digests instead of addresses and subjects, which are personal data.
    const computeDigest = (this.computeDigest ??= await createInstallationDigest(
      encryptionOf(this.em),
      'rate_limit_count',
    ));
    const digests = new Map([...counts.keys()].map((key) => [computeDigest(key), key]));
    // All instances update the rows in the same order, which prevents deadlocks.
    const sorted = [...digests.keys()].sort();
    const used = sorted.map((digest) => counts.get(digests.get(digest)!)!);
    const em = this.em.fork() as SqlEntityManager;
    // First, because the caller adds counts again if this method fails.
    if (this.lastCleanUp !== minute) {
      this.lastCleanUp = minute;
      await em.nativeDelete(RateLimitCount, { minute: { $lt: minute - 1 } });
    }
    const { rows } = await sql<{ digest: string; used: string }>`
      insert into rate_limit_count (minute, digest, used)
      select ${minute}::bigint, digest, used
      from unnest(${sorted}::text[], ${used}::bigint[]) with ordinality as counts (digest, used, place) order by place
      on conflict (minute, digest) do update set used = rate_limit_count.used + excluded.used
      returning digest, used`.execute(em.getKysely());
    return new Map(rows.map((row) => [digests.get(row.digest)!, Number(row.used)]));
  }
}
