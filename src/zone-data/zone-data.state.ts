import { EntityManager } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { findServingInstances } from '../instance/index.js';
import { NotReadyError } from '../shared/errors/index.js';
import { isSafeMethod } from '../shared/http/index.js';
import { ZoneData } from '../shared/time/index.js';

/** Which time zone data this instance, the database and the other instances work with. */
@Injectable()
export class ZoneDataState {
  /** The version that the instants of the database are worked out with; undefined until one is stored. */
  databaseVersion: string | undefined;
  /** What is in use is of this instance's version, and not everything has been worked out with it. */
  hasPendingWork = false;
  private readonly logger = new Logger(ZoneDataState.name);
  /** What was told last, so that each change is told once. */
  private lastLogged = '';

  constructor(
    private readonly em: EntityManager,
    private readonly zoneData: ZoneData,
  ) {}

  get version(): string {
    return this.zoneData.version;
  }

  /** Instants that this instance works out may be wrong: it reads, and leaves writing to the others. */
  get isOutdated(): boolean {
    return this.databaseVersion !== undefined && this.version < this.databaseVersion;
  }

  /** Reads what is in use, and tells of instances that work with something else. */
  async refresh(): Promise<void> {
    const kysely = (this.em.fork() as SqlEntityManager).getKysely();
    const { rows } = await sql<{ version: string; pending: boolean }>`
      select version, finished_at is null or coalesce(repeat_after <= now(), false) as pending
      from zone_data order by id desc limit 1`.execute(kysely);
    this.databaseVersion = rows[0]?.version;
    this.hasPendingWork = this.databaseVersion === this.version && rows[0]?.pending === true;
    const serving = await findServingInstances({ em: this.em });
    const others = [...new Set(serving.map(({ zoneDataVersion }) => zoneDataVersion))].filter(
      (version) => version !== this.version,
    );
    this.logChange(others.sort());
  }

  /** Refuses requests that write with 503 while the data is outdated: another instance answers them. */
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
