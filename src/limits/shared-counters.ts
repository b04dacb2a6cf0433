import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { createHash } from 'node:crypto';
import { RateLimitCount } from './rate-limit-count.entity.js';

/** Request counts of all instances, in a table. One statement adds all counts of an instance. */
@Injectable()
export class SharedCounters {
  private lastCleanUp = 0;

  constructor(private readonly em: EntityManager) {}

  /**
   * Adds to the counts of a minute (minutes since 1970), and returns the totals of all instances by the same keys.
   *
   * @throws the error of the driver if the database cannot be reached
   */
  async add(minute: number, counts: ReadonlyMap<string, number>): Promise<Map<string, number>> {
    const digests = new Map([...counts.keys()].map((key) => [computeDigest(key), key]));
    // The same order in all instances prevents deadlocks.
    const sorted = [...digests.keys()].sort();
    const used = sorted.map((digest) => counts.get(digests.get(digest)!)!);
    const em = this.em.fork() as SqlEntityManager;
    const { rows } = await sql<{ digest: string; used: string }>`
      insert into rate_limit_count (minute, digest, used)
      select ${minute}::bigint, digest, used
      from unnest(${sorted}::text[], ${used}::bigint[]) with ordinality as counts (digest, used, place) order by place
      on conflict (minute, digest) do update set used = rate_limit_count.used + excluded.used
      returning digest, used`.execute(em.getKysely());
    if (this.lastCleanUp !== minute) {
      this.lastCleanUp = minute;
      await em.nativeDelete(RateLimitCount, { minute: { $lt: minute - 1 } });
    }
    return new Map(rows.map((row) => [digests.get(row.digest)!, Number(row.used)]));
  }
}

/** The table contains digests, because addresses and subjects are personal data. */
function computeDigest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
