import { MikroORM, type EntityClass } from '@mikro-orm/core';
import { findEncryptedTable } from '../../../src/shared/persistence/index.js';
import type { TestApp } from './test-app.js';

/** Lists the encrypted columns of an entity, so that a test also covers those that are added later. */
export function listEncryptedColumns(app: TestApp, entity: EntityClass<object>): string[] {
  const table = findEncryptedTable(app.nest.get(MikroORM).getMetadata().get(entity));
  if (table === undefined) throw new Error(`${entity.name} has no encrypted columns`);
  return table.columns.map(({ field }) => field);
}
