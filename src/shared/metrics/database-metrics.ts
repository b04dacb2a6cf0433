import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { Gauge, Registry } from 'prom-client';
import { setTimeout as delay } from 'node:timers/promises';
import { summarizeError } from '../errors/index.js';
import { Distribution, forkForActor, formatInstant } from '../persistence/index.js';
import { Clock } from '../time/index.js';
import type { MetricsQuery, GaugeOptions } from './metrics-query.js';

/** How long values are cached, so that additional scrapers add no load to the database. */
const CACHE_MS = 3_000;
/** The maximum time a scrape waits for the database. */
const DEADLINE_MS = 2_000;

type Sample = { gauge: Gauge; labels: Readonly<Record<string, string>> };

/**
 * Gauges with values from the database. A scrape reads them in one transaction, with a role that cannot read personal
 * data. If the database does not answer, the gauges have no samples and `scheduling_database_up` is 0.
 */
@Injectable()
export class DatabaseMetrics {
  private readonly logger = new Logger(DatabaseMetrics.name);
  private readonly queries: { query: MetricsQuery; samples: Record<string, Sample> }[] = [];
  private readonly up: Gauge;
  private readonly readOnly: Gauge;
  private readonly complete: Gauge;
  private readonly duration: Gauge;
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;
  /** Whether the database has answered in the current reading. */
  private hasAnswered = false;
  private scrape: Promise<void> | undefined;

  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
    private readonly registry: Registry,
  ) {
    this.up = this.gauge('scheduling_database_up', 'Whether the database answered at the last scrape.');
    this.readOnly = this.gauge(
      'scheduling_database_read_only',
      'Whether the database refuses writes: it is a replica or a read-only server.',
    );
    this.complete = this.gauge(
      'scheduling_metrics_complete',
      'Whether all metrics of the database could be read at the last scrape.',
    );
    this.duration = this.gauge(
      'scheduling_metrics_reading_duration_seconds',
      'Duration of the last queries of the database for a scrape.',
    );
  }

  /** Adds a module's query. Columns with the same gauge name share one gauge and differ in their labels. */
  register<Column extends string>({ statement, gauges }: MetricsQuery<Column>): void {
    const samples = Object.entries<GaugeOptions>(gauges).map(([column, { name, help, labels = {} }]) => {
      const gauge = (this.registry.getSingleMetric(name) as Gauge | undefined) ?? this.gauge(name, help, labels);
      return [column, { gauge, labels }] as const;
    });
    this.queries.push({ query: { statement, gauges }, samples: Object.fromEntries(samples) });
  }

  private gauge(name: string, help: string, labels: Readonly<Record<string, string>> = {}): Gauge {
    const gauge = new Gauge({
      ...{ name, help, labelNames: Object.keys(labels), registers: [this.registry] },
      collect: () => this.refresh(),
    });
    gauge.remove(labels);
    return gauge;
  }

  /** Called for each gauge in a scrape. All calls share one run of the queries. */
  private refresh(): Promise<void> {
    if (performance.now() - this.readAt < CACHE_MS) return Promise.resolve();
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    this.scrape ??= this.waitUntilDeadline(this.reading).finally(() => (this.scrape = undefined));
    return this.scrape;
  }

  private async waitUntilDeadline(reading: Promise<void>): Promise<void> {
    const isLate = await Promise.race([reading.then(() => false), delay(DEADLINE_MS, true, { ref: false })]);
    // The queries continue in the background, and a later scrape returns their values.
    if (isLate) this.removeSamples();
  }

  private async read(): Promise<void> {
    const startedAt = performance.now();
    this.hasAnswered = false;
    try {
      await forkForActor(this.em, { role: 'MONITORING' }).transactional(async (em) => {
        await this.readState(em as SqlEntityManager);
        this.hasAnswered = true;
        await this.runQueries(em as SqlEntityManager);
      });
      this.complete.set(1);
    } catch (error) {
      this.removeSamples();
      this.logger.warn(summarizeError(error), 'metrics of the database are missing');
    } finally {
      this.readAt = performance.now();
      this.duration.set((this.readAt - startedAt) / 1000);
    }
  }

  private async readState(em: SqlEntityManager): Promise<void> {
    const { rows } = await sql<{ is_read_only: boolean }>`
      select current_setting('transaction_read_only') = 'on' as is_read_only`.execute(em.getKysely());
    this.up.set(1);
    this.readOnly.set(rows[0]!.is_read_only ? 1 : 0);
  }

  private async runQueries(em: SqlEntityManager): Promise<void> {
    // The queries count rows on all servers of a distributed database.
    Distribution.of(em.config).unreachable.requireAll();
    const now = formatInstant(this.clock.now());
    for (const { query, samples } of this.queries) {
      const { rows } = await query.statement(now).execute(em.getKysely());
      for (const [column, { gauge, labels }] of Object.entries(samples)) gauge.set(labels, rows[0]![column]!);
    }
  }

  /** Removes samples that could not be refreshed, because Prometheus cannot distinguish an old value from a new one. */
  private removeSamples(): void {
    this.complete.set(0);
    this.up.set(this.hasAnswered ? 1 : 0);
    if (!this.hasAnswered) this.readOnly.remove();
    const samples = this.queries.flatMap((query) => Object.values(query.samples));
    for (const { gauge, labels } of samples) gauge.remove(labels);
  }
}
