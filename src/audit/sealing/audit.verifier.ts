import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { forkForActor } from '../../shared/persistence/index.js';
import { AuditEntry } from '../trail/audit-entry.entity.js';
import { AuditSeal } from './audit-seal.entity.js';
import { BEGINNING, hashOfBlock, hashOfEntry } from './hash-chain.js';

/** What is wrong, and where. */
export type Finding = {
  what:
    /** An entry is not as it was sealed. */
    | 'CHANGED'
    /** An entry is gone. */
    | 'MISSING'
    /** An entry is in no block, and does not wait for one: somebody wrote it past the service. */
    | 'INSERTED'
    /** An entry waits for its seal for too long. */
    | 'NOT_SEALED'
    /** A block is not as it was written. */
    | 'SEAL_CHANGED'
    /** A block is gone, or another stands before this one than did. */
    | 'SEAL_MISSING'
    /** The chain is not the one whose head was kept. */
    | 'NOT_AS_KEPT';
  /** The Clinic; 0 for what belongs to none; unknown for an entry that was never sealed and is gone. */
  chain?: number;
  entryId?: number;
  seal?: number;
};
/** The last block of a chain. */
export type Head = { chain: number; number: number; hash: string };
export type Verdict = { entries: number; seals: number; findings: number; heads: Head[] };

/** Blocks that are read at once, of up to a thousand entries each. */
const BLOCKS = 10;
/** The most findings of a kind that one statement returns. */
const LISTED = 1_000;

/** Walks every chain of the audit trail, and recomputes every hash from what is stored. */
export class AuditVerifier {
  private verdict: Verdict = { entries: 0, seals: 0, findings: 0, heads: [] };

  /**
   * @param report told of each finding
   * @param progress told how many entries have been seen, now and then
   */
  constructor(
    private readonly em: EntityManager,
    private readonly report: (finding: Finding) => void,
    private readonly progress: (entries: number) => void = () => undefined,
  ) {}

  /**
   * @param overdue entries that were made before this instant must be sealed
   * @param kept heads of an earlier verification
   */
  async verify(overdue: Temporal.Instant, kept: readonly Head[] = []): Promise<Verdict> {
    this.verdict = { entries: 0, seals: 0, findings: 0, heads: [] };
    const chains = await this.rows<{ chain: string | number }>(
      sql`select distinct chain from audit_seal order by chain`,
    );
    for (const { chain } of chains) await this.verifyChain(Number(chain), kept);
    await this.verifyRest(overdue);
    const lost = kept.filter(({ chain }) => this.verdict.heads.every((head) => head.chain !== chain));
    for (const { chain, number } of lost) this.find({ what: 'NOT_AS_KEPT', chain, seal: number });
    return this.verdict;
  }

  private async verifyChain(chain: number, kept: readonly Head[]): Promise<void> {
    let head: Head = { chain, number: 0, hash: BEGINNING };
    const wanted = kept.filter((one) => one.chain === chain);
    for (let blocks = await this.blocksAfter(head); blocks.length > 0; blocks = await this.blocksAfter(head)) {
      const entries = await this.entriesOf(blocks);
      for (const block of blocks) {
        head = this.verifyBlock(block, head);
        this.verifyEntries(block, entries);
        const keptHere = wanted.find(({ number }) => number === block.number);
        if (keptHere !== undefined && keptHere.hash !== block.hash) {
          this.find({ what: 'NOT_AS_KEPT', chain, seal: block.number });
        }
      }
      this.progress(this.verdict.entries);
    }
    for (const { number } of wanted.filter((one) => one.number > head.number)) {
      this.find({ what: 'NOT_AS_KEPT', chain, seal: number });
    }
    this.verdict.heads.push(head);
  }

  private verifyBlock(block: AuditSeal, head: Head): Head {
    const { chain, number, hash } = block;
    this.verdict.seals += 1;
    if (hashOfBlock(block) !== hash) this.find({ what: 'SEAL_CHANGED', chain, seal: number });
    if (number !== head.number + 1 || block.previousHash !== head.hash) {
      this.find({ what: 'SEAL_MISSING', chain, seal: number });
    }
    return { chain, number, hash };
  }

  private verifyEntries({ chain, number, entryIds, entryHashes }: AuditSeal, entries: Map<number, AuditEntry>): void {
    this.verdict.entries += entryIds.length;
    for (const [index, entryId] of entryIds.entries()) {
      const entry = entries.get(entryId);
      if (entry === undefined) this.find({ what: 'MISSING', chain, entryId, seal: number });
      else if (hashOfEntry(entry) !== entryHashes[index]) this.find({ what: 'CHANGED', chain, entryId, seal: number });
    }
  }

  /** What is in no chain: too early to be sealed, or not where it should be. */
  private async verifyRest(overdue: Temporal.Instant): Promise<void> {
    type Row = { what: Finding['what']; id: string | number; chain: string | number | null };
    const rows = await this.rows<Row>(sql`
      (select 'NOT_SEALED' as what, e.id, coalesce(e.clinic_id, 0) as chain from audit_unsealed u
        join audit_entry e on e.id = u.entry_id where e.at < ${overdue.toString()} order by e.id limit ${LISTED})
      union all
      (select 'MISSING', u.entry_id, null from audit_unsealed u
        where not exists (select from audit_entry e where e.id = u.entry_id) order by 2 limit ${LISTED})
      union all
      (select 'INSERTED', e.id, coalesce(e.clinic_id, 0) from audit_entry e
        left join (select unnest(entry_ids) as id from audit_seal) s on s.id = e.id
        left join audit_unsealed u on u.entry_id = e.id
        where s.id is null and u.entry_id is null order by e.id limit ${LISTED})`);
    for (const { what, id, chain } of rows) {
      this.find({ what, entryId: Number(id), ...(chain === null ? {} : { chain: Number(chain) }) });
    }
  }

  private find(finding: Finding): void {
    this.verdict.findings += 1;
    this.report(finding);
  }

  private blocksAfter({ chain, number }: Head): Promise<AuditSeal[]> {
    const where = { chain, number: { $gt: number } };
    return this.read((em) => em.find(AuditSeal, where, { orderBy: { number: 'asc' }, limit: BLOCKS }));
  }

  private async entriesOf(blocks: readonly AuditSeal[]): Promise<Map<number, AuditEntry>> {
    const ids = blocks.flatMap(({ entryIds }) => entryIds);
    const entries = await this.read((em) => em.find(AuditEntry, { id: { $in: ids } }));
    return new Map(entries.map((entry) => [entry.id, entry]));
  }

  private rows<Row>(statement: ReturnType<typeof sql<Row>>): Promise<Row[]> {
    return this.read(async (em) => (await statement.execute((em as unknown as SqlEntityManager).getKysely())).rows);
  }

  /** A transaction for each part: all of it is append-only, and a long one would hold up the database's housekeeping. */
  private read<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return forkForActor(this.em, { role: 'AUDIT' }).transactional(work);
  }
}
