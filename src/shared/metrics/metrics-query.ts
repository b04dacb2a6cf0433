import type { RawBuilder } from 'kysely';

/** The limit of `count` in metrics queries, so that a scrape does not read a large table. */
export const MAX_COUNTED_ROWS = 10_000;

export type GaugeOptions = { name: string; help: string; labels?: Readonly<Record<string, string>> };

/** A query of a module for its metrics. It returns one row; each column is the sample of one gauge. */
export type MetricsQuery<Column extends string = string> = {
  /** @param now the time of the Clock, ISO 8601. The query must be limited and use an index, as tables are large. */
  statement: (now: string) => RawBuilder<Record<Column, number>>;
  gauges: Readonly<Record<Column, GaugeOptions>>;
};
