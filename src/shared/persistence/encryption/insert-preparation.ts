import type { EntityMetadata } from '@mikro-orm/core';
import type { DataKeys } from '../../encryption/data-keys.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import { findEncryptedTable, findKeyOwnerTable, type KeyOwnerTable } from './encrypted-tables.js';
import { ReservedIds } from './reserved-ids.js';
import type { EntityValues } from './stored-values.js';

/** Maximum number of attempts to find an ID that has never had a key. */
const MAX_ID_ATTEMPTS = 1_000;

/** Takes a number of new IDs from the sequence of a table. */
type TakeIds = (count: number) => Promise<number[]>;

/** Sets the IDs of new rows, and creates the keys of new records, before the rows are encrypted and inserted. */
export class InsertPreparation {
  readonly ids = new ReservedIds();

  constructor(private readonly keys: DataKeys | undefined) {}

  /** Prepares entities of one table. Those with a composite primary key already have their IDs. */
  async prepare(em: AnyEntityManager, meta: EntityMetadata, entities: readonly object[]): Promise<void> {
    const table = findEncryptedTable(meta);
    const unnumbered = (entities as readonly EntityValues[]).filter(({ id }) => id == null);
    const owners = findKeyOwnerTable(meta);
    const take: TakeIds =
      // Clinics have no encrypted texts and are created rarely, so their IDs have no gaps.
      table === undefined
        ? (count) => this.ids.takeExactly(em, meta.tableName, count)
        : (count) => this.ids.take(em, table.name, count);
    if (owners !== undefined) await this.createKeys(owners, unnumbered, take);
    else if (table?.keys.length === 1) await setIds(unnumbered, take);
  }

  /**
   * Creates the keys of new records. An ID that has or had a key is skipped, so that no record gets the key of another.
   */
  private async createKeys(
    { name, kind }: KeyOwnerTable,
    entities: readonly EntityValues[],
    take: TakeIds,
  ): Promise<void> {
    let rest = entities;
    for (let attempt = 0; rest.length > 0; attempt += 1) {
      if (attempt === MAX_ID_ATTEMPTS) throw new Error(`The key store has keys for the next IDs of ${name}`);
      await setIds(rest, take);
      const created = await this.keys!.createAll(rest.map((entity) => ({ kind, id: entity['id'] as number })));
      rest = rest.filter((_, index) => !created[index]);
    }
  }
}

async function setIds(entities: readonly EntityValues[], take: TakeIds): Promise<void> {
  const ids = await take(entities.length);
  for (const [index, entity] of entities.entries()) entity['id'] = ids[index];
}
