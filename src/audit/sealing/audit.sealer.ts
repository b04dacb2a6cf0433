import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { AuditSeal, UnsealedAuditEntry, type PreviousBlock } from './audit-seal.entity.js';
import { CHAIN_WITHOUT_CLINIC } from './hash-chain.js';
import { findUnsealedEntries } from './unsealed-entries.js';

/** Key of the advisory lock that allows only one instance to seal at a time. */
const SEAL_LOCK = 4_711_2027;

/**
 * Seals committed entries in blocks of the hash chains. Sealing is a job rather than part of each request: a block
 * needs the hash of the previous one, so requests from the same Clinic would have to wait for each other.
 */
@Injectable()
export class AuditSealer {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Seals entries and returns their number, or 0 if another instance is already sealing.
   *
   * @param progress called after each batch
   * @param waits whether to wait for the other instance, which may not see the newest entries of this one
   */
  async seal(progress: () => void = () => undefined, { waits = false } = {}): Promise<number> {
    let total = 0;
    for (let afterId: number | null = 0; afterId !== null;) {
      const batch: SealedBatch = await this.sealBatch(afterId, waits);
      total += batch.sealed;
      afterId = batch.nextAfterId;
      progress();
    }
    return total;
  }

  private sealBatch(afterId: number, waits: boolean): Promise<SealedBatch> {
    return forkForActor(this.em, { role: 'AUDIT' }).transactional(async (em) => {
      if (waits) await lock(em as unknown as SqlEntityManager);
      else if (!(await tryLock(em as unknown as SqlEntityManager))) return { sealed: 0, nextAfterId: null };
      const { entries, nextAfterId } = await findUnsealedEntries(em, afterId);
      const chains = Map.groupBy(entries, ({ clinicId }) => clinicId ?? CHAIN_WITHOUT_CLINIC);
      const lastBlocks = await findLastBlocks(em as unknown as SqlEntityManager, [...chains.keys()]);
      for (const [chain, chainEntries] of chains)
        em.persist(new AuditSeal(chain, lastBlocks.get(chain) ?? null, chainEntries, this.clock.now()));
      await em.flush();
      await em.nativeDelete(UnsealedAuditEntry, { entryId: { $in: entries.map(({ id }) => id) } });
      return { sealed: entries.length, nextAfterId };
    });
  }
}

/** `nextAfterId` is null if no entries remain. */
type SealedBatch = { sealed: number; nextAfterId: number | null };

/**
 * Finds the last block of each chain in one statement. A separate `find` for each chain would flush the blocks that are
 * already persisted, and each flush would compare all entries of the batch.
 */
async function findLastBlocks(em: SqlEntityManager, chains: readonly number[]): Promise<Map<number, PreviousBlock>> {
  const { rows } = await sql<{ chain: string | number } & PreviousBlock>`
    select wanted.chain, head.number, head.hash
    from unnest(${chains}::bigint[]) as wanted (chain) cross join lateral (
      select number, hash from audit_seal where audit_seal.chain = wanted.chain order by number desc limit 1) as head`.execute(
    em.getKysely(),
  );
  return new Map(rows.map(({ chain, number, hash }) => [Number(chain), { number, hash }]));
}

/** Acquires the sealing lock until the end of the transaction. Returns false if another instance holds it. */
async function tryLock(em: SqlEntityManager): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(${SEAL_LOCK}) as "isLocked"`.execute(em.getKysely());
  return rows[0]!.isLocked;
}

/** Acquires the sealing lock until the end of the transaction, as soon as no other instance holds it. */
async function lock(em: SqlEntityManager): Promise<void> {
  await sql`select pg_advisory_xact_lock(${SEAL_LOCK})`.execute(em.getKysely());
}
