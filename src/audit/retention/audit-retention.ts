import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable } from '@nestjs/common';
import { sql, type RawBuilder } from 'kysely';
import { hostname } from 'node:os';
import { runIndependentParts } from '../../scheduler/index.js';
import { forkForActor, formatInstant } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';

/** Maximum number of entries that one transaction removes. */
const BATCH_SIZE = 5_000;
/** Number of months for which partitions are created in advance. */
const MONTHS_AHEAD = 3;
/**
 * Waiting time after the end of a month, because the last entries of a month are often sealed only in the next month.
 */
const SEALING_GRACE_PERIOD = { hours: 24 };

/** Numbers of dropped partitions and of removed entries. The entries include those in the dropped partitions. */
type RetiredCounts = { partitions: number; entries: number };

type Limit = Temporal.Instant | undefined;

/**
 * Finds the instants before which entries are removed; undefined if all entries are kept. They are read again before each
 * transaction, because a Clinic may change its retention meanwhile.
 */
export type AuditLimits = {
  /** Returns the limits of all chains, keyed by chain. */
  findAll: () => Promise<ReadonlyMap<number, Limit>>;
  find: (chain: number) => Promise<Limit>;
};

/**
 * Creates the monthly partitions of the audit trail and removes expired entries. A partition is dropped once the
 * retention of every Clinic has ended. Until then, the expired entries of Clinics with a shorter retention are deleted,
 * one whole month at a time.
 */
@Injectable()
export class AuditRetention {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the start of the first month whose entries are kept: the month of `before` or, on the first day of a month,
   * the previous month (see `SEALING_GRACE_PERIOD`).
   */
  findFirstKeptMonth(before: Temporal.Instant): Temporal.Instant {
    const day = before.subtract(SEALING_GRACE_PERIOD).toZonedDateTimeISO('UTC');
    return day.with({ day: 1 }).startOfDay().toInstant();
  }

  /** Counts the entries of a Clinic that `retire` would remove. */
  async count(em: Pick<SqlEntityManager, 'getKysely'>, clinicId: number, before: Temporal.Instant): Promise<number> {
    const { rows } = await sql<{ entries: number }>`
      select coalesce(sum(entry_count), 0)::float8 as entries from audit_seal
      where chain = ${clinicId}
        and number > coalesce((select number from audit_retirement where chain = ${clinicId}), 0)
        and number <= audit_retirable(${clinicId}, ${this.formatMonth(before)}::timestamptz,
          ${formatInstant(before)}::timestamptz)`.execute(em.getKysely());
    return rows[0]!.entries;
  }

  /**
   * Creates the partitions of the current month and the next `MONTHS_AHEAD` months. Several instances may do this at
   * the same time.
   */
  async ensurePartitions(): Promise<void> {
    const now = this.clock.now();
    const last = now.toZonedDateTimeISO('UTC').add({ months: MONTHS_AHEAD }).toInstant();
    await this.call(sql`select ensure_audit_partitions(${formatInstant(now)}, ${formatInstant(last)}) as count`);
  }

  /**
   * Removes the entries whose retention has ended. A chain or partition that has been changed is not retired, and does not
   * prevent the retirement of others.
   *
   * @param retired the counts to which those of the removed partitions and entries are added, also if others fail
   * @throws the first error, after all other entries have been removed
   */
  async retire(
    limits: AuditLimits,
    progress: () => void,
    retired: RetiredCounts = { partitions: 0, entries: 0 },
  ): Promise<RetiredCounts> {
    await this.repeat(sql`select complete_audit_seals(${BATCH_SIZE}) as count`, progress);
    const partitions = () => this.retirePartitions(limits, retired, progress);
    const seals = () => this.repeat(sql`select prune_audit_seals(${BATCH_SIZE}) as count`, progress);
    const limited = [...(await limits.findAll())].filter(([, before]) => before !== undefined);
    const chains = limited.map(([chain]) => ({
      name: `retirement of chain ${chain}`,
      run: () => this.retireChain(chain, limits, retired, progress),
    }));
    const parts = [
      { name: 'retirement of partitions', run: partitions },
      { name: 'deletion of seals', run: seals },
    ];
    await runIndependentParts(this.em, [...parts, ...chains], progress);
    return retired;
  }

  private async retireChain(
    chain: number,
    limits: AuditLimits,
    retired: RetiredCounts,
    progress: () => void,
  ): Promise<void> {
    for (let count = 1; count > 0; retired.entries += count) {
      const before = await limits.find(chain);
      if (before === undefined) return;
      const args = sql`${chain}, ${this.formatMonth(before)}, ${formatInstant(before)}, ${this.now}, ${hostname()}`;
      count = await this.call(sql`select retire_audit_entries(${args}, ${BATCH_SIZE}) as count`);
      progress();
    }
    await this.repeat(forgetRecordsSql(chain), progress);
  }

  private async retirePartitions(limits: AuditLimits, retired: RetiredCounts, progress: () => void): Promise<void> {
    for (;;) {
      const first = findEarliest([...(await limits.findAll()).values()]);
      if (first === undefined) return;
      const rows = await this.query<{ entries: string | number }>(sql`
        select entries from retire_audit_partition(
          ${this.formatMonth(first)}, ${formatInstant(first)}, ${this.now}, ${hostname()})`);
      if (rows.length === 0) return;
      retired.partitions += 1;
      retired.entries += Number(rows[0]!.entries);
      progress();
    }
  }

  private get now(): string {
    return formatInstant(this.clock.now());
  }

  private formatMonth(before: Temporal.Instant): string {
    return formatInstant(this.findFirstKeptMonth(before));
  }

  /** Runs a database function repeatedly, each time in a separate transaction, until it returns 0. */
  private async repeat(statement: RawBuilder<unknown>, progress: () => void): Promise<void> {
    while ((await this.call(statement)) > 0) progress();
  }

  private async call(statement: RawBuilder<unknown>): Promise<number> {
    return Number((await this.query<{ count: string | number }>(statement))[0]!.count);
  }

  private query<Row>(statement: RawBuilder<unknown>): Promise<Row[]> {
    return forkForActor(this.em, { role: 'AUDIT' }).transactional(async (em) => {
      const { rows } = await statement.execute((em as SqlEntityManager).getKysely());
      return rows as Row[];
    });
  }
}

/** Returns the earliest of the limits, or undefined if there is none, or if one of them keeps all entries. */
function findEarliest(limits: readonly Limit[]): Limit {
  if (limits.includes(undefined)) return undefined;
  return (limits as Temporal.Instant[]).toSorted((one, other) => Temporal.Instant.compare(one, other))[0];
}

/** Deletes the names of records that were removed before the Clinic's oldest entry, because no entry can name them. */
function forgetRecordsSql(clinicId: number): RawBuilder<unknown> {
  return sql`
    with forgotten as (
      delete from removed_record where clinic_id = ${clinicId} and (client_id, name) in (
        select client_id, name from removed_record
        where clinic_id = ${clinicId} and removed_at < (select min(at) from audit_entry where clinic_id = ${clinicId})
        limit ${BATCH_SIZE})
      returning 1)
    select count(*)::int as count from forgotten`;
}
