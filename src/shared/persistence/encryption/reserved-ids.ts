import { sql } from 'kysely';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';

/** Number of IDs that are taken from a sequence at once. IDs that are unused when the process ends stay unused. */
const BLOCK_SIZE = 100;

/**
 * Provides IDs for rows before they are inserted. An encrypted text is bound to the ID of its row, so the ID must be
 * known before the INSERT. One statement takes a block of IDs from the sequence, so most requests need no statement for
 * their IDs.
 */
export class ReservedIds {
  private readonly reserved = new Map<string, number[]>();

  /** Returns `count` new IDs for the table, in ascending order, without reserving others. */
  takeExactly(em: AnyEntityManager, table: string, count: number): Promise<number[]> {
    return reserve(em, table, count);
  }

  /** Returns `count` new IDs for the table, in ascending order. */
  async take(em: AnyEntityManager, table: string, count: number): Promise<number[]> {
    const reserved = this.findReserved(table);
    while (reserved.length < count) {
      const ids = await reserve(em, table, Math.max(BLOCK_SIZE, count - reserved.length));
      reserved.push(...ids);
      reserved.sort((a, b) => a - b);
    }
    return reserved.splice(0, count);
  }

  private findReserved(table: string): number[] {
    let ids = this.reserved.get(table);
    if (ids === undefined) {
      ids = [];
      this.reserved.set(table, ids);
    }
    return ids;
  }
}

async function reserve(em: AnyEntityManager, table: string, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: string }>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count}::int)`.execute(
    (em as unknown as SqlEntityManager).getKysely(),
  );
  return rows.map(({ id }) => Number(id));
}
