import type { RawBuilder } from 'kysely';

/** Rows are counted up to this number: a scrape must not read a table of millions. */
export const MAX_COUNTED_ROWS = 10_000;

export type GaugeOptions = { name: string; help: string; labels?: Readonly<Record<string, string>> };

/** What a feature reads from the database at a scrape: one row, each column of which is one sample. */
export type MetricsQuery<Column extends string = string> = {
  /** Bounded, and by an index: tables have millions of rows. */
  statement: (now: string) => RawBuilder<Record<Column, number>>;
  gauges: Readonly<Record<Column, GaugeOptions>>;
};
