import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { CountedRecordKind, ErasureSubject } from '../shared/erasure/index.js';
import { TenantEntityManager } from '../shared/persistence/index.js';
import type { RowCountsByKind } from './domain/erasure.entity.js';
import { MAX_COUNTED_PER_KIND } from './dto/erasure-model.js';
import { ALL_ROWS_TO_ERASE } from './rows-to-erase.js';

type Row = { name: CountedRecordKind; count: number };

/** Counts the rows that an erasure would remove, up to a maximum for each kind. Requires a transaction. */
@Injectable()
export class ErasureCounter {
  constructor(private readonly em: TenantEntityManager) {}

  async count(subject: ErasureSubject): Promise<RowCountsByKind> {
    const rows = subject.kind === 'CLINIC' ? await this.countClinic(subject) : await this.countPerson(subject);
    return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]));
  }

  private async countPerson(subject: ErasureSubject): Promise<Row[]> {
    const counts = ALL_ROWS_TO_ERASE.flatMap(({ countedAs, table, [subject.kind]: own }) => {
      if (countedAs === undefined || own === undefined) return [];
      const found = sql`select 1 from ${sql.table(table)} t where ${own(subject)} limit ${MAX_COUNTED_PER_KIND + 1}`;
      return [sql`select ${countedAs}::text as name, count(*)::int as count from (${found}) as found`];
    });
    const { rows } = await sql<Row>`${sql.join(counts, sql` union all `)}`.execute(this.em.getKysely());
    return rows;
  }

  /** Administrators cannot read the rows of a Clinic, so a database function counts them. */
  private async countClinic({ clinicId }: ErasureSubject): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select name, count from count_clinic_rows(${clinicId}, ${MAX_COUNTED_PER_KIND + 1})`.execute(this.em.getKysely());
    return rows;
  }
}
