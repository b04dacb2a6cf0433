import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { findRunningInstances } from '../instance/index.js';
import { NotReadyError } from '../shared/errors/index.js';
import { isSafeMethod } from '../shared/http/index.js';
import { ZoneData } from '../shared/time/index.js';

/** Tracks the versions of the time zone data that this instance, the database and other instances use. */
@Injectable()
export class ZoneDataState {
  /** Whether this instance has the current version and some instants have not yet been recomputed. */
  hasPendingWork = false;
  private readonly logger = new Logger(ZoneDataState.name);
  /** The most recently logged state, so that each change is logged only once. */
  private lastLogged = '';

  constructor(
    private readonly em: EntityManager,
    private readonly zoneData: ZoneData,
  ) {}

  get version(): string {
    return this.zoneData.version;
  }

  get databaseVersion(): string | undefined {
    return this.zoneData.databaseVersion;
  }

  /** Whether this instance has older data than the database. Such an instance must not write. */
  get isOutdated(): boolean {
    return this.zoneData.isOutdated;
  }

  /** Reads the current version, and logs when instances start or stop using different versions. */
  async refresh(): Promise<void> {
    const kysely = (this.em.fork() as SqlEntityManager).getKysely();
    const { rows } = await sql<{ version: string; pending: boolean }>`
      select version, finished_at is null or coalesce(repeat_after <= now(), false) as pending
      from zone_data order by id desc limit 1`.execute(kysely);
    this.zoneData.databaseVersion = rows[0]?.version;
    this.hasPendingWork = this.databaseVersion === this.version && rows[0]?.pending === true;
    const running = await findRunningInstances({ em: this.em });
    const others = [...new Set(running.map(({ zoneDataVersion }) => zoneDataVersion))].filter(
      (version) => version !== this.version,
    );
    this.logChange(others.sort());
  }

  /** Adds a hook that refuses write requests with 503 while the data of this instance is outdated. */
  refuseWritesWhenOutdated(fastify: FastifyInstance): void {
    fastify.addHook('preHandler', (request, _reply, done) => {
      if (this.isOutdated && !isSafeMethod(request))
        throw new NotReadyError(`${this.mismatch}: send the request to another instance.`);
      done();
    });
  }

  get mismatch(): string {
    return `this instance works with time zone data ${this.version}, the database with ${this.databaseVersion ?? 'none'}`;
  }

  private logChange(others: readonly string[]): void {
    const { version, databaseVersion, isOutdated } = this;
    const state = JSON.stringify([isOutdated, others]);
    if (state === this.lastLogged) return;
    const isFirst = this.lastLogged === '';
    this.lastLogged = state;
    if (isOutdated)
      this.logger.error(
        { event: 'zone-data.outdated', version, inUse: databaseVersion },
        'time zone data is outdated: no writes here',
      );
    else if (others.length > 0)
      this.logger.warn({ event: 'zone-data.mixed', version, others }, 'instances work with different time zone data');
    else if (!isFirst) this.logger.log({ event: 'zone-data.same', version }, 'all instances work with this data again');
  }
}
