import type { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { forkForActor } from '../../shared/persistence/index.js';
import { AuditEntry } from '../trail/audit-entry.entity.js';
import { AuditRetirement } from './audit-retirement.entity.js';
import { AuditSeal } from './audit-seal.entity.js';
import { CHAIN_WITHOUT_CLINIC, GENESIS_HASH, computeBlockHash, computeEntryHash } from './hash-chain.js';
import { SealedEntries } from './sealed-entries.js';
import { findUnsealedEntries } from './unsealed-entries.js';

/** A difference between the audit trail and its hash chains. */
export type AuditFinding = {
  kind:
    /** An entry was changed after it was sealed. */
    | 'CHANGED'
    /** An entry was deleted. */
    | 'MISSING'
    /**
     * An entry is neither in a block nor marked as unsealed, or it has the ID of another entry, so the service did not
     * write it.
     */
    | 'INSERTED'
    /** An entry has not been sealed for too long. */
    | 'NOT_SEALED'
    /** A block was changed. */
    | 'SEAL_CHANGED'
    /** The previous block is missing, or is not the one that this block refers to. */
    | 'SEAL_MISSING'
    /** No entry of the chain records its retirement, so the service did not delete the entries. */
    | 'NOT_RECORDED'
    /** The chain does not match its expected head, which an earlier verification returned. */
    | 'HEAD_MISMATCH';
  /** The Clinic ID, or 0 for entries without a Clinic. Absent for a deleted entry that was never sealed. */
  chain?: number;
  entryId?: number;
  seal?: number;
};
/** The last block of a hash chain. `chain` is the Clinic ID, or 0 for entries without a Clinic. */
export type ChainHead = { chain: number; number: number; hash: string };
/**
 * The part of a chain whose entries have been deleted because their retention has ended: the number of its last block
 * and the number of its entries.
 */
type RetiredChainStart = { chain: number; number: number; entries: number };
type AuditVerificationResult = {
  entries: number;
  seals: number;
  findings: number;
  heads: ChainHead[];
  retired: RetiredChainStart[];
};

/** Number of blocks per read. Each block contains up to a thousand entries. */
const BLOCKS_PER_READ = 10;
/** Maximum number of findings among unsealed entries, and among inserted ones. */
const MAX_FINDINGS = 1_000;

/** Finds each chain by the key of its first block. A plain `distinct` would read all blocks. */
const SELECT_CHAINS = sql<{ chain: string | number }>`
  with recursive sealed (chain) as (
    select min(chain) from audit_seal
    union all select (select min(chain) from audit_seal where chain > sealed.chain) from sealed where chain is not null
  )
  select chain from sealed where chain is not null union select chain from audit_retirement order by chain`;

/** Verifies the audit trail by recomputing all hashes in all chains from the stored entries. */
export class AuditVerifier {
  private result!: AuditVerificationResult;
  private sealedEntries = new SealedEntries();

  /**
   * @param onFinding called for each finding
   * @param onProgress called after each read with the number of entries verified so far
   */
  constructor(
    private readonly em: EntityManager,
    private readonly onFinding: (finding: AuditFinding) => void,
    private readonly onProgress: (entries: number) => void = () => undefined,
  ) {}

  /**
   * Verifies all chains, and the entries that are not in any block.
   *
   * @param overdue instant before which all entries must have been sealed
   * @param expectedHeads heads from an earlier verification, which the chains must contain
   */
  async verify(overdue: Temporal.Instant, expectedHeads: readonly ChainHead[] = []): Promise<AuditVerificationResult> {
    this.result = { entries: 0, seals: 0, findings: 0, heads: [], retired: [] };
    this.sealedEntries = new SealedEntries();
    const chains = await this.query(SELECT_CHAINS);
    for (const { chain } of chains) await this.verifyChain(Number(chain), expectedHeads);
    await this.verifyUnsealed(overdue);
    const missing = expectedHeads.filter(({ chain }) => this.result.heads.every((head) => head.chain !== chain));
    for (const { chain, number } of missing) this.addFinding({ kind: 'HEAD_MISMATCH', chain, seal: number });
    return this.result;
  }

  /**
   * Verifies the chain of one Clinic.
   *
   * @returns the number of findings
   */
  async verifyClinic(clinicId: number): Promise<number> {
    this.result = { entries: 0, seals: 0, findings: 0, heads: [], retired: [] };
    await this.verifyChain(clinicId, []);
    return this.result.findings;
  }

  private async verifyChain(chain: number, expectedHeads: readonly ChainHead[]): Promise<void> {
    const expected = expectedHeads.filter((other) => other.chain === chain);
    let retirement = await this.findRetirement(chain);
    let head = await this.verifyStart(chain, retirement, expected);
    for (;;) {
      const blocks = await this.blocksAfter(head);
      const section = checkSection(head, blocks, await this.entriesOf(blocks), expected);
      // Retention may have removed blocks and entries between the reads, and moved the start of the chain with them.
      const current = section.findings.length > 0 ? await this.findRetirement(chain) : null;
      if (current !== null && current.number > head.number) {
        retirement = current;
        head = await this.verifyStart(chain, retirement, expected);
        continue;
      }
      for (const finding of section.findings) this.addFinding(finding);
      if (blocks.length === 0) break;
      for (const block of blocks) this.sealedEntries.add(block);
      this.result.seals += blocks.length;
      this.result.entries += section.entries;
      head = section.head;
      this.onProgress(this.result.entries);
    }
    if (retirement !== null)
      this.result.retired.push({ chain, number: retirement.number, entries: retirement.entries });
    this.result.heads.push(head);
  }

  /**
   * Checks that the chain records how far it is retired.
   *
   * @returns the last retired block, after which the chain continues
   */
  private async verifyStart(
    chain: number,
    retirement: AuditRetirement | null,
    expected: readonly ChainHead[],
  ): Promise<ChainHead> {
    if (retirement === null) return { chain, number: 0, hash: GENESIS_HASH };
    const { number, hash, entryId } = retirement;
    this.sealedEntries.add({ chain, number, entryIds: [] });
    const entry = await this.inTransaction((em) => em.findOne(AuditEntry, { id: entryId }));
    if (entry === null || !retirement.isRecordedBy(entry))
      this.addFinding({ kind: 'NOT_RECORDED', chain, entryId, seal: number });
    if (expected.some((other) => other.number === number && other.hash !== hash))
      this.addFinding({ kind: 'HEAD_MISMATCH', chain, seal: number });
    return { chain, number, hash };
  }

  private findRetirement(chain: number): Promise<AuditRetirement | null> {
    return this.inTransaction((em) => em.findOne(AuditRetirement, { chain }));
  }

  /** Checks entries that are not in any block. */
  private async verifyUnsealed(overdue: Temporal.Instant): Promise<void> {
    const findings: AuditFinding[] = [];
    for (let afterId: number | null = 0; afterId !== null && findings.length < MAX_FINDINGS;) {
      const from: number = afterId;
      const { entries, missingIds, nextAfterId } = await this.inTransaction((em) => findUnsealedEntries(em, from));
      for (const { id, at, clinicId } of entries)
        if (Temporal.Instant.compare(at, overdue) < 0)
          findings.push({ kind: 'NOT_SEALED', entryId: id, chain: clinicId ?? CHAIN_WITHOUT_CLINIC });
      for (const entryId of missingIds) findings.push({ kind: 'MISSING', entryId });
      afterId = nextAfterId;
    }
    for (const finding of findings.slice(0, MAX_FINDINGS)) this.addFinding(finding);
    const inserted = await this.sealedEntries.findInserted((statement) => this.query(statement), MAX_FINDINGS);
    for (const entry of inserted) this.addFinding({ kind: 'INSERTED', ...entry });
  }

  private addFinding(finding: AuditFinding): void {
    this.result.findings += 1;
    this.onFinding(finding);
  }

  private blocksAfter({ chain, number }: ChainHead): Promise<AuditSeal[]> {
    const where = { chain, number: { $gt: number } };
    return this.inTransaction((em) =>
      em.find(AuditSeal, where, { orderBy: { number: 'asc' }, limit: BLOCKS_PER_READ }),
    );
  }

  private async entriesOf(blocks: readonly AuditSeal[]): Promise<Map<number, AuditEntry>> {
    const ids = blocks.flatMap(({ entryIds }) => entryIds);
    const times = blocks
      .flatMap(({ firstAt, lastAt }) => [firstAt, lastAt].filter((at) => at != null))
      .sort((one, other) => Temporal.Instant.compare(one, other));
    // The times limit the query to a few partitions. Entries that are not found there are searched for in all of them.
    const at = times.length > 0 ? { at: { $gte: times[0]!, $lte: times.at(-1)! } } : {};
    const entries = await this.inTransaction((em) => em.find(AuditEntry, { id: { $in: ids }, ...at }));
    const found = new Map(entries.map((entry) => [entry.id, entry]));
    const others = ids.filter((id) => !found.has(id));
    if (others.length > 0)
      for (const entry of await this.inTransaction((em) => em.find(AuditEntry, { id: { $in: others } })))
        found.set(entry.id, entry);
    return found;
  }

  private query<Row>(statement: ReturnType<typeof sql<Row>>): Promise<Row[]> {
    return this.inTransaction(
      async (em) => (await statement.execute((em as unknown as SqlEntityManager).getKysely())).rows,
    );
  }

  /**
   * Uses a short transaction for each read, because a long one would delay VACUUM. Only retention removes blocks and
   * entries, and `verifyChain` notices this, so the reads do not need a common snapshot.
   */
  private inTransaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return forkForActor(this.em, { role: 'AUDIT' }).transactional(work);
  }
}

/** Checks successive blocks of a chain and their entries. No blocks means that the chain has ended at `head`. */
function checkSection(
  start: ChainHead,
  blocks: readonly AuditSeal[],
  found: ReadonlyMap<number, AuditEntry>,
  expected: readonly ChainHead[],
): { head: ChainHead; entries: number; findings: AuditFinding[] } {
  const section = { head: start, entries: 0, findings: [] as AuditFinding[] };
  for (const block of blocks) {
    const { chain, number, hash, entryIds } = block;
    section.findings.push(...checkBlock(block, section.head), ...checkEntries(block, found));
    if (expected.some((other) => other.number === number && other.hash !== hash))
      section.findings.push({ kind: 'HEAD_MISMATCH', chain, seal: number });
    section.head = { chain, number, hash };
    section.entries += entryIds.length;
  }
  if (blocks.length === 0) {
    for (const { chain, number } of expected)
      if (number > start.number) section.findings.push({ kind: 'HEAD_MISMATCH', chain, seal: number });
  }
  return section;
}

function checkBlock(block: AuditSeal, head: ChainHead): AuditFinding[] {
  const { chain, number, hash, previousHash } = block;
  const findings: AuditFinding[] = [];
  if (computeBlockHash(block) !== hash) findings.push({ kind: 'SEAL_CHANGED', chain, seal: number });
  if (number !== head.number + 1 || previousHash !== head.hash)
    findings.push({ kind: 'SEAL_MISSING', chain, seal: number });
  return findings;
}

function checkEntries(
  { chain, number, entryIds, entryHashes }: AuditSeal,
  found: ReadonlyMap<number, AuditEntry>,
): AuditFinding[] {
  return entryIds.flatMap((entryId, index): AuditFinding[] => {
    const entry = found.get(entryId);
    if (entry === undefined) return [{ kind: 'MISSING', chain, entryId, seal: number }];
    return computeEntryHash(entry) === entryHashes[index] ? [] : [{ kind: 'CHANGED', chain, entryId, seal: number }];
  });
}
