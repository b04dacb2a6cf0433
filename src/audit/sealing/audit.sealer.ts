import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { forkForActor } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import { AuditEntry } from '../trail/audit-entry.entity.js';
import { AuditSeal, AuditUnsealed } from './audit-seal.entity.js';
import { NO_CLINIC_CHAIN } from './hash-chain.js';

/** Any constant: of instances that seal at once, one does it. */
const SEAL_LOCK = 4_711_2027;
/** Entries that are sealed in one transaction. */
const BATCH_SIZE = 1_000;

/**
 * Seals what has been committed since the last time. Not within the requests, as those of one Clinic would have to
 * wait for each other: whoever adds to a chain must know its end.
 */
@Injectable()
export class AuditSealer {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** Returns how many entries were sealed; 0 while another instance does it. */
  async seal(): Promise<number> {
    let total = 0;
    for (let sealed = BATCH_SIZE; sealed === BATCH_SIZE; total += sealed) sealed = await this.sealBatch();
    return total;
  }

  private sealBatch(): Promise<number> {
    return forkForActor(this.em, { role: 'AUDIT' }).transactional(async (em) => {
      const ids = await findUnsealed(em as unknown as SqlEntityManager);
      if (ids.length === 0) return 0;
      const entries = await em.find(AuditEntry, { id: { $in: ids } }, { orderBy: { id: 'asc' } });
      for (const [chain, own] of Map.groupBy(entries, ({ clinicId }) => clinicId ?? NO_CLINIC_CHAIN)) {
        const head = await em.findOne(AuditSeal, { chain }, { orderBy: { number: 'desc' } });
        em.persist(new AuditSeal(chain, head, own, this.clock.now()));
      }
      await em.flush();
      await em.nativeDelete(AuditUnsealed, { entryId: { $in: ids } });
      return ids.length;
    });
  }
}

/** The oldest that wait. One whose entry is not there any more waits for ever: verification names it. */
async function findUnsealed(em: SqlEntityManager): Promise<number[]> {
  const { rows: turn } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(${SEAL_LOCK}) as taken`.execute(em.getKysely());
  if (!turn[0]!.taken) return [];
  const { rows } = await sql<{ id: string | number }>`
    select id from audit_unsealed join audit_entry on id = entry_id
    order by entry_id limit ${BATCH_SIZE}`.execute(em.getKysely());
  return rows.map(({ id }) => Number(id));
}
