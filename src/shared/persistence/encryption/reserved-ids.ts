import { sql } from 'kysely';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';

/** Number of IDs that are taken from a sequence at once. IDs that are unused when the process ends stay unused. */
const BLOCK_SIZE = 100;
/** For how long IDs of a block are used. After that, the IDs come from the range that `npm run id-range` has set. */
const BLOCK_AGE_MS = 5 * 60_000;

type Block = { ids: number[]; reservedAt: number };

/**
 * Provides IDs for rows before they are inserted. An encrypted text is bound to the ID of its row, so the ID must be
 * known before the INSERT. One statement takes a block of IDs from the sequence, so most requests need no statement for
 * their IDs.
 */
export class ReservedIds {
  private readonly reserved = new Map<string, Block>();

  /** Returns `count` new IDs for the table, in ascending order, without reserving others. */
  takeExactly(em: AnyEntityManager, table: string, count: number): Promise<number[]> {
    return reserve(em, table, count);
  }

  /** Returns `count` new IDs for the table, in ascending order. */
  async take(em: AnyEntityManager, table: string, count: number): Promise<number[]> {
    const block = this.findBlock(table);
    while (block.ids.length < count) {
      const ids = await reserve(em, table, Math.max(BLOCK_SIZE, count - block.ids.length));
      block.ids.push(...ids);
      block.ids.sort((a, b) => a - b);
    }
    return block.ids.splice(0, count);
  }

  /**
   * Forgets the blocks. A promoted replica may not know of them, and would assign their IDs again. Two Clinics could then
   * have records with the same ID, because keys contain the Clinic.
   */
  forget(): void {
    this.reserved.clear();
  }

  private findBlock(table: string): Block {
    const now = performance.now();
    let block = this.reserved.get(table);
    if (block === undefined || now - block.reservedAt >= BLOCK_AGE_MS) {
      block = { ids: [], reservedAt: now };
      this.reserved.set(table, block);
    }
    return block;
  }
}

async function reserve(em: AnyEntityManager, table: string, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: string }>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count}::int)`.execute(
    (em as unknown as SqlEntityManager).getKysely(),
  );
  return rows.map(({ id }) => Number(id));
}
