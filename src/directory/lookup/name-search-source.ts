import type { EntityClass } from '@mikro-orm/core';
import { sql, type RawBuilder } from 'kysely';
import { setImmediate } from 'node:timers/promises';
import { decryptRows, type TenantEntityManager } from '../../shared/persistence/index.js';
import { foldName } from './folded-name.js';

/**
 * A table whose rows can be searched and sorted by name. All values are constants in the code, so they are safe to use
 * in SQL.
 */
export type NameSearchSource<Details> = {
  table: string;
  /** The entity that is stored in the table. It specifies how the names are encrypted. */
  entity: EntityClass<object>;
  nameColumn: string;
  /** Columns with times by which a list can be sorted, keyed by the name of the sort order. */
  timeColumns: Readonly<Record<string, string>>;
  /** Additional columns that the filters of the list need. */
  detailColumns: readonly string[];
  toDetails: (row: Readonly<Record<string, unknown>>) => Details;
};

/** The data of one record that searching and sorting need. */
export type NameEntry<Details = unknown> = {
  id: number;
  /** The name in the form that searches compare (see `foldName`). */
  foldedName: string;
  /** Milliseconds since 1970, keyed by the name of the sort order. */
  times: Readonly<Record<string, number>>;
  details: Details;
  /** ID of the transaction that last changed the row; 0 if it ran on another database server. */
  changedIn: number;
};

/** Entries, and the oldest transaction that was still running when they were read. */
export type NameEntryChunk<Details> = { entries: NameEntry<Details>[]; runningSince: number };

/** SQL condition that is false for a restored row whose transaction ID this server has not assigned yet. */
const IS_OF_THIS_SERVER = sql`changed_in < pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/** Number of names that are folded before other requests run. A name of rare letters takes a tenth of a millisecond. */
const ENTRIES_PER_TURN = 100;

type Row = { id: string; changed_in: string; running_since: string } & Record<string, unknown>;

/**
 * Reads the names of one Clinic's records, or of the shared catalogue if the Clinic is null. This is the only place
 * that reads names for a search, and decrypts them (ADR 10).
 */
export class NameReader<Details> {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly source: NameSearchSource<Details>,
    private readonly clinicId: number | null,
  ) {}

  /** Reads records in order of their IDs, after the given one. */
  readChunk(afterId: number, limit: number): Promise<NameEntryChunk<Details>> {
    return this.read(sql`id > ${afterId} order by id limit ${limit}`);
  }

  async readOne(id: number): Promise<NameEntry<Details> | undefined> {
    return (await this.read(sql`id = ${id}`)).entries[0];
  }

  /** Reads the records that transactions may have changed since `runningSince`. */
  readChanges(runningSince: number, limit: number): Promise<NameEntryChunk<Details>> {
    return this.read(sql`changed_in >= ${runningSince}
      and ${IS_OF_THIS_SERVER} limit ${limit}`);
  }

  private async read(condition: RawBuilder<unknown>): Promise<NameEntryChunk<Details>> {
    const { table, entity, nameColumn, timeColumns, detailColumns } = this.source;
    const times = Object.values(timeColumns).map(
      (column) => sql`(extract(epoch from ${sql.ref(column)}) * 1000)::float8 as ${sql.ref(column)}`,
    );
    const { rows } = await sql<Row>`
      select id, clinic_id, ${sql.ref(nameColumn)},
        case when ${IS_OF_THIS_SERVER} then changed_in else 0 end as changed_in,
        pg_snapshot_xmin(pg_current_snapshot())::text as running_since,
        ${sql.join([...times, ...detailColumns.map((column) => sql.ref(column))])}
      from ${sql.table(table)}
      where ${this.clinicId === null ? sql`clinic_id is null` : sql`clinic_id = ${this.clinicId}`} and ${condition}
    `.execute(this.em.getKysely());
    await decryptRows(this.em, entity, rows);
    const entries: NameEntry<Details>[] = [];
    for (const row of rows) {
      entries.push(this.toEntry(row));
      if (entries.length % ENTRIES_PER_TURN === 0) await setImmediate();
    }
    return { entries, runningSince: Number(rows[0]?.running_since ?? 0) };
  }

  private toEntry(row: Row): NameEntry<Details> {
    return {
      id: Number(row.id),
      foldedName: foldName(row[this.source.nameColumn] as string),
      times: mapValues(this.source.timeColumns, (column) => row[column] as number),
      details: this.source.toDetails(row),
      changedIn: Number(row.changed_in),
    };
  }
}

function mapValues<From, To>(values: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
