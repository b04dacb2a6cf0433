import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { AuditEntry } from '../trail/audit-entry.entity.js';
import { AuditSeal, UnsealedAuditEntry, type PreviousBlock } from './audit-seal.entity.js';
import { CHAIN_WITHOUT_CLINIC } from './hash-chain.js';

/** Key of the advisory lock that allows only one instance to seal at a time. */
const SEAL_LOCK = 4_711_2027;
/** Maximum number of entries sealed in one transaction. */
const BATCH_SIZE = 1_000;

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
   */
  async seal(progress: () => void = () => undefined): Promise<number> {
    let total = 0;
    for (let sealed = BATCH_SIZE; sealed === BATCH_SIZE; total += sealed) {
      sealed = await this.sealBatch();
      progress();
    }
    return total;
  }

  private sealBatch(): Promise<number> {
    return forkForActor(this.em, { role: 'AUDIT' }).transactional(async (em) => {
      const unsealed = await findUnsealed(em as unknown as SqlEntityManager);
      const ids = unsealed.map(({ id }) => Number(id));
      if (ids.length === 0) return 0;
      const times = unsealed.map(({ at }) => at);
      // The entry times limit the query to the partitions that contain these entries.
      const at = { $gte: toInstant(Math.min(...times)), $lte: toInstant(Math.max(...times)) };
      const entries = await em.find(AuditEntry, { id: { $in: ids }, at }, { orderBy: { id: 'asc' } });
      const chains = Map.groupBy(entries, ({ clinicId }) => clinicId ?? CHAIN_WITHOUT_CLINIC);
      const lastBlocks = await findLastBlocks(em as unknown as SqlEntityManager, [...chains.keys()]);
      for (const [chain, chainEntries] of chains)
        em.persist(new AuditSeal(chain, lastBlocks.get(chain) ?? null, chainEntries, this.clock.now()));
      await em.flush();
      await em.nativeDelete(UnsealedAuditEntry, { entryId: { $in: ids } });
      return ids.length;
    });
  }
}

/** The ID of an entry that is not sealed yet, and its time in milliseconds since 1970. */
type UnsealedEntry = { id: string | number; at: number };

const toInstant = (milliseconds: number) => Temporal.Instant.fromEpochMilliseconds(Math.round(milliseconds));

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

/**
 * Acquires the sealing lock and returns the oldest unsealed entries. Returns an empty list if another
 * instance holds the lock. Skips deleted entries, which the verifier reports.
 */
async function findUnsealed(em: SqlEntityManager): Promise<UnsealedEntry[]> {
  const { rows: lock } = await sql<{ is_locked: boolean }>`
    select pg_try_advisory_xact_lock(${SEAL_LOCK}) as is_locked`.execute(em.getKysely());
  if (!lock[0]!.is_locked) return [];
  const { rows } = await sql<UnsealedEntry>`
    select entry_id as id, (extract(epoch from audit_unsealed.at) * 1000)::float8 as at
    from audit_unsealed join audit_entry on id = entry_id and audit_entry.at = audit_unsealed.at
    order by entry_id limit ${BATCH_SIZE}`.execute(em.getKysely());
  return rows;
}
