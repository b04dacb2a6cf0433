import { sql, type RawBuilder } from 'kysely';
import { IdSet } from './id-set.js';

/** Number of entries per read. */
const ENTRIES_PER_READ = 10_000;
/** Number of blocks per read. Each block contains up to a thousand entries. */
const BLOCKS_PER_READ = 100;

/** Executes a statement in a short transaction. */
type RunQuery = <Row>(statement: RawBuilder<Row>) => Promise<Row[]>;
type EntryRow = { id: string | number; at: string; chain: string | number; isUnsealed: boolean };
type InsertedEntry = { entryId: number; chain: number };

/**
 * The entries that verified blocks contain, and the number of the last block of each chain. With them, an entry that is in
 * no block is found by short reads: one statement that compares all entries with all blocks would exceed its time limit.
 */
export class SealedEntries {
  private readonly ids = new IdSet();
  private readonly lastBlocks = new Map<number, number>();

  /** Adds the entries of the next block of a chain. */
  add({ chain, number, entryIds }: { chain: number; number: number; entryIds: readonly number[] }): void {
    for (const id of entryIds) this.ids.add(id);
    this.lastBlocks.set(chain, number);
  }

  /**
   * Finds entries that are neither in a block nor marked as unsealed, or that have the ID of another entry.
   *
   * @param maximum the number of entries after which the search ends
   */
  async findInserted(run: RunQuery, maximum: number): Promise<InsertedEntry[]> {
    const inserted = new Map<string, InsertedEntry>();
    let last: EntryRow | undefined;
    do {
      const rows: EntryRow[] = await run(selectEntriesAfter(last));
      const others = rows.filter(({ id, isUnsealed }) => !isUnsealed && !this.ids.has(Number(id)));
      await this.addLaterBlocks(run, new Set(others.map(({ chain }) => Number(chain))));
      const isRepeated = (row: EntryRow, index: number) => row.id === (rows[index - 1] ?? last)?.id;
      const found = rows.filter(
        (row, index) => isRepeated(row, index) || (!row.isUnsealed && !this.ids.has(Number(row.id))),
      );
      for (const { id, chain } of found) inserted.set(`${id} ${chain}`, { entryId: Number(id), chain: Number(chain) });
      last = rows.length < ENTRIES_PER_READ ? undefined : rows.at(-1);
    } while (last !== undefined && inserted.size < maximum);
    return [...inserted.values()].slice(0, maximum);
  }

  /** Adds the blocks that were sealed since the chains were verified. */
  private async addLaterBlocks(run: RunQuery, chains: ReadonlySet<number>): Promise<void> {
    for (const chain of chains) {
      for (let count = BLOCKS_PER_READ; count === BLOCKS_PER_READ;) {
        const blocks = await run(selectBlocksAfter(chain, this.lastBlocks.get(chain) ?? 0));
        for (const { number, ids } of blocks) this.add({ chain, number, entryIds: ids.map(Number) });
        count = blocks.length;
      }
    }
  }
}

/** Reads entries in the order of their primary key. */
function selectEntriesAfter(last: EntryRow | undefined): RawBuilder<EntryRow> {
  const after = last === undefined ? sql`true` : sql`(e.id, e.at) > (${last.id}::bigint, ${last.at}::timestamptz)`;
  return sql<EntryRow>`
    select e.id, e.at::text as at, coalesce(e.clinic_id, 0) as chain,
      exists (select from audit_unsealed u where u.entry_id = e.id) as "isUnsealed"
    from audit_entry e where ${after} order by e.id, e.at limit ${ENTRIES_PER_READ}`;
}

function selectBlocksAfter(chain: number, number: number): RawBuilder<{ number: number; ids: (string | number)[] }> {
  return sql`
    select number, entry_ids::text[] as ids from audit_seal where chain = ${chain} and number > ${number}
    order by number limit ${BLOCKS_PER_READ}`;
}
