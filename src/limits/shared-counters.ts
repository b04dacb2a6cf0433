import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { createHash } from 'node:crypto';
import { RateLimitCount } from './rate-limit-count.entity.js';

/** The counts that all instances add up in, one statement for all that an instance has to tell. */
@Injectable()
export class SharedCounters {
  private lastCleanUp = 0;

  constructor(private readonly em: EntityManager) {}

  /**
   * Adds to the counts of a minute (minutes since 1970) and returns their totals, by the same keys.
   *
   * @throws the driver's error when the database cannot be reached
   */
  async add(minute: number, counts: ReadonlyMap<string, number>): Promise<Map<string, number>> {
    const digests = new Map([...counts.keys()].map((key) => [computeDigest(key), key]));
    // In one order, so that instances wait for each other and do not deadlock.
    const sorted = [...digests.keys()].sort();
    const used = sorted.map((digest) => counts.get(digests.get(digest)!)!);
    const em = this.em.fork() as SqlEntityManager;
    const { rows } = await sql<{ digest: string; used: string }>`
      insert into rate_limit_count (minute, digest, used)
      select ${minute}::bigint, digest, used
      from unnest(${sorted}::text[], ${used}::bigint[]) with ordinality as given (digest, used, place) order by place
      on conflict (minute, digest) do update set used = rate_limit_count.used + excluded.used
      returning digest, used`.execute(em.getKysely());
    if (this.lastCleanUp !== minute) {
      this.lastCleanUp = minute;
      await em.nativeDelete(RateLimitCount, { minute: { $lt: minute - 1 } });
    }
    return new Map(rows.map((row) => [digests.get(row.digest)!, Number(row.used)]));
  }
}

/** Addresses and subjects of tokens are about people: the table has no use for them. */
function computeDigest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
