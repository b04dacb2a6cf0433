import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module, type DynamicModule } from '@nestjs/common';
import { Registry } from 'prom-client';
import { ormOptions } from '../mikro-orm.config.js';
import { MODULES } from './modules.js';
import { OpsModule } from './ops/index.js';
import { AuditRecordKinds } from './shared/audit-records/index.js';
import { Environment } from './shared/config/env.js';
import { openDataKeys } from './shared/encryption/index.js';
import { DatabaseMetrics, PoolMetrics } from './shared/metrics/index.js';
import { DatabaseDamage, FieldEncryption, ReplicaDatabase, type ReplicaOptions } from './shared/persistence/index.js';
import { Clock, ZoneData } from './shared/time/index.js';
import { Tracing } from './shared/tracing/index.js';

/** Providers that every module may inject. */
@Module({})
class SharedModule {
  static forRoot(
    environment: Environment,
    clock: Clock,
    damage: DatabaseDamage,
    tracing: Tracing,
    encryption: FieldEncryption,
  ): DynamicModule {
    const values = [
      { provide: DatabaseDamage, useValue: damage },
      { provide: Environment, useValue: environment },
      { provide: Clock, useValue: clock },
      { provide: Registry, useValue: new Registry() },
      { provide: ZoneData, useValue: new ZoneData() },
      { provide: Tracing, useValue: tracing },
      { provide: FieldEncryption, useValue: encryption },
    ];
    const classes = [AuditRecordKinds, DatabaseMetrics, PoolMetrics];
    const replica = {
      provide: ReplicaDatabase,
      useFactory: async () => ReplicaDatabase.create(await replicaOptions(environment, tracing, encryption)),
    };
    return {
      module: SharedModule,
      global: true,
      providers: [...values, ...classes, replica],
      exports: [...values.map(({ provide }) => provide), ...classes, ReplicaDatabase],
    };
  }
}

async function replicaOptions(
  { database }: Environment,
  tracing: Tracing,
  encryption: FieldEncryption,
): Promise<ReplicaOptions | undefined> {
  if (database.kind === 'embedded' || database.replica === undefined) return undefined;
  const orm = await ormOptions(database, 'replica', new DatabaseDamage(), tracing, encryption);
  return { orm, maxAgeMs: database.replica.maxLag.total('milliseconds') };
}

/** The composition root. Only this file imports all modules. */
@Module({})
export class AppModule {
  static forRoot(environment: Environment, clock: Clock, tracing: Tracing): DynamicModule {
    const damage = new DatabaseDamage();
    const encryption = new FieldEncryption(openDataKeys(environment.encryption), environment.encryption.encrypts);
    return {
      module: AppModule,
      imports: [
        SharedModule.forRoot(environment, clock, damage, tracing, encryption),
        MikroOrmModule.forRootAsync({
          // The interceptor in `src/request` creates the request context, because the context depends on the caller.
          useFactory: async () => ({
            ...(await ormOptions(environment.database, 'service', damage, tracing, encryption)),
            registerRequestContext: false,
          }),
        }),
        ...MODULES,
        OpsModule.forRoot(environment),
      ],
    };
  }
}
