import { MikroORM } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorFunction, type HealthIndicatorResult } from '@nestjs/terminus';
import {
  DatabaseDamage,
  Distribution,
  FieldEncryption,
  findDatabaseFault,
  ReplicaDatabase,
  type DatabaseFault,
} from '../../shared/persistence/index.js';

/** Checks the database, the servers that it is distributed to, its replica, and Vault, which encrypts its keys. */
@Injectable()
export class DatabaseChecks {
  private readonly logger = new Logger(DatabaseChecks.name);
  /** The fault that the last probe found. A fault is logged only when it changes, not on every probe. */
  private lastFault: DatabaseFault | undefined;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly orm: MikroORM,
    private readonly damage: DatabaseDamage,
    private readonly replicaDatabase: ReplicaDatabase,
    private readonly encryption: FieldEncryption,
  ) {}

  /** Returns the checks that apply to the configuration of this instance. */
  list(): HealthIndicatorFunction[] {
    return [
      () => this.checkDatabase(),
      ...(Distribution.of(this.orm.config).isDistributed ? [() => this.checkServers()] : []),
      ...(this.replicaDatabase.isConfigured ? [() => this.checkReplica()] : []),
      ...(this.encryption.keys?.server === undefined ? [] : [() => this.checkVault()]),
    ];
  }

  private async checkDatabase(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('database');
    const fault = await findDatabaseFault(this.orm, this.damage);
    if (fault !== undefined && fault !== this.lastFault) this.logger.error({ fault }, 'the database cannot serve');
    this.lastFault = fault;
    return fault === undefined ? indicator.up() : indicator.down(fault);
  }

  /**
   * A server that is down does not make the instance unready, because the instance can still serve the Clinics whose
   * data is on other servers.
   */
  private async checkServers(): Promise<HealthIndicatorResult> {
    const unreachable = await Distribution.of(this.orm.config).findUnreachable(this.orm);
    const indicator = this.indicators.check('servers');
    return unreachable.length === 0
      ? indicator.up({ state: 'in use' })
      : indicator.up({ state: 'degraded', unreachable });
  }

  /** Losing the replica does not make the instance unready, because the primary then serves the replica's reads. */
  private checkReplica(): HealthIndicatorResult {
    const { fault } = this.replicaDatabase;
    return this.indicators.check('replica').up({ state: fault ?? 'in use' });
  }

  /** An outage of Vault does not make the instance unready, because requests with cached keys still succeed. */
  private checkVault(): HealthIndicatorResult {
    const fault = this.encryption.keys?.server?.fault;
    return this.indicators.check('vault').up({ state: fault ?? 'in use' });
  }
}
