import { ChangeSetType, helper, type ChangeSet, type EventSubscriber, type FlushEventArgs } from '@mikro-orm/core';
import { findEncryptedTable } from './encrypted-tables.js';
import type { FieldEncryption, StoredValues } from './field-encryption.js';

type Values = Record<string, unknown>;

const WRITES = new Set([ChangeSetType.CREATE, ChangeSetType.UPDATE, ChangeSetType.UPDATE_EARLY]);

/**
 * Encrypts the values that the unit of work writes. Before a flush, it sets the IDs of new rows; once the changes are
 * known, it replaces plain values with encrypted ones. After the flush, it restores the plain values in the snapshots
 * with which the next flush compares the entities.
 */
export class EncryptionSubscriber implements EventSubscriber {
  private readonly replaced = new WeakMap<ChangeSet<object>, StoredValues>();

  constructor(private readonly encryption: FieldEncryption) {}

  async beforeFlush({ em, uow }: FlushEventArgs): Promise<void> {
    if (!this.encryption.encrypts) return;
    const added = [...uow.getPersistStack()].filter((entity) => !helper(entity).hasPrimaryKey());
    for (const [meta, entities] of Map.groupBy(added, (entity) => helper(entity).__meta))
      await this.encryption.prepareInsert(em, meta, entities);
  }

  async onFlush({ uow }: FlushEventArgs): Promise<void> {
    const changes = uow.getChangeSets().filter(({ type }) => WRITES.has(type));
    for (const [meta, changeSets] of Map.groupBy(changes, (changeSet) => changeSet.meta)) {
      const payloads = new Map(changeSets.map(({ entity, payload }): [object, Values] => [entity, payload]));
      const writtenOf = (entity: object) => payloads.get(entity)!;
      const stored = await this.encryption.encryptRows(meta, [...payloads.keys()], { writtenOf });
      for (const changeSet of changeSets) {
        const values = stored?.get(changeSet.entity);
        if (values === undefined) continue;
        this.replaced.set(changeSet, values);
        Object.assign(changeSet.payload, values);
      }
    }
  }

  afterFlush({ uow }: FlushEventArgs): void {
    for (const changeSet of uow.getChangeSets()) {
      const values = this.replaced.get(changeSet);
      const table = findEncryptedTable(changeSet.meta);
      if (values === undefined || table === undefined) continue;
      const entity = changeSet.entity as Values;
      const snapshot = helper(changeSet.entity).__originalEntityData as Values;
      for (const { name, toStored } of table.columns) {
        if (name in values) snapshot[name] = toStored(entity[name]);
      }
      for (const { name } of table.digests) {
        if (name in values) snapshot[name] = entity[name] = values[name];
      }
    }
  }
}
