import { MikroORM } from '@mikro-orm/core';
import { Logger } from '@nestjs/common';
import { ormOptions } from '../../mikro-orm.config.js';
import { installQueue } from '../reminder/index.js';
import type { DatabaseEnvironment } from '../shared/env.js';
import { migrateUp, openingDatabase, type Orm } from '../shared/persistence/index.js';

/** Brings the tables, and those of the queue, up to this release. Returns the names of the migrations. */
export async function upgradeSchema(orm: Orm, database: DatabaseEnvironment): Promise<string[]> {
  const migrations = await migrateUp(orm, database);
  await installQueue(orm, database);
  if (migrations.length > 0) new Logger('Start').log({ migrations }, 'migrated');
  return migrations;
}

/** Works on the database as the owner of its tables, with a connection of its own. */
export async function asOwner<T>(database: DatabaseEnvironment, work: (orm: Orm) => Promise<T>): Promise<T> {
  const orm = await openingDatabase(database, async () => MikroORM.init(await ormOptions(database, 'owner')));
  try {
    return await openingDatabase(database, () => work(orm));
  } finally {
    await orm.close();
  }
}
