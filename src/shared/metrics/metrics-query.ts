import type { RawBuilder } from 'kysely';

/** The maximum number of rows that a metrics query counts, so that a scrape does not read an entire large table. */
export const MAX_COUNTED_ROWS = 10_000;

/** The name of a gauge, its description, and the labels of the sample that one column provides. */
export type GaugeOptions = { name: string; help: string; labels?: Readonly<Record<string, string>> };

/** A module's metrics query. The query returns one row, in which each column is the value of one gauge. */
export type MetricsQuery<Column extends string = string> = {
  /**
   * Returns the query, which must limit its rows and use an index because tables are large.
   *
   * @param now the current time of the `Clock`, in ISO 8601
   */
  statement: (now: string) => RawBuilder<Record<Column, number>>;
  gauges: Readonly<Record<Column, GaugeOptions>>;
};
