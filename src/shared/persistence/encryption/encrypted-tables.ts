import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import type { KeyOwnerKind } from '../../encryption/key-owner.js';
import { DigestType, EncryptedJsonType, EncryptedType, KeyOwnerIdType } from './encrypted-column.types.js';

type Column = { name: string; field: string };

export type TextColumn = Column & {
  /** Returns the text to encrypt. A text column that is not encrypted contains the same text. */
  toStored: (value: unknown) => string;
  /** Returns the column's value for an encrypted text. */
  toColumnValue: (encryptedText: string) => string;
  isJson: boolean;
  /** A text that is not about a person and is therefore not encrypted; undefined if there is none. */
  plainText: string | undefined;
};

/** The encrypted columns of an entity's table. */
export type EncryptedTable = {
  name: string;
  /** The columns of the primary key. A text is bound to the row that they identify. */
  keys: readonly Column[];
  columns: readonly TextColumn[];
  /** The record whose data key encrypts the columns. `field` is the column that contains the ID of this record. */
  owner: { kind: KeyOwnerKind; name: string; field: string };
  /** Whether each row is itself the record whose key encrypts it. */
  isOwner: boolean;
  digests: readonly (Column & { source: string })[];
};

/** A table of records that each have a data key. */
export type KeyOwnerTable = { name: string; kind: KeyOwnerKind };

/** Returns the table of an entity whose records each have a data key, or undefined. */
export function findKeyOwnerTable(meta: EntityMetadata): KeyOwnerTable | undefined {
  const table = findEncryptedTable(meta);
  if (table !== undefined) return table.isOwner ? { name: table.name, kind: table.owner.kind } : undefined;
  const type = meta.getPrimaryProps()[0]?.customType;
  return type instanceof KeyOwnerIdType ? { name: meta.tableName, kind: type.ownerKind } : undefined;
}

const tables = new WeakMap<EntityMetadata, EncryptedTable | null>();

/** Returns the encrypted columns of an entity, or undefined if it has none. */
export function findEncryptedTable(meta: EntityMetadata): EncryptedTable | undefined {
  let table = tables.get(meta);
  if (table === undefined) {
    table = describeTable(meta);
    tables.set(meta, table);
  }
  return table ?? undefined;
}

function describeTable(meta: EntityMetadata): EncryptedTable | null {
  const encrypted = meta.props.filter(({ customType }) => customType instanceof EncryptedType);
  const [first] = encrypted;
  if (first === undefined) return null;
  const { ownerKind: kind, ownerProperty } = first.customType as EncryptedType<unknown, unknown>;
  const owner = meta.properties[ownerProperty as never] as EntityProperty;
  return {
    name: meta.tableName,
    keys: meta.getPrimaryProps().map(toColumn),
    columns: encrypted.map(toTextColumn),
    owner: { kind, ...toColumn(owner) },
    isOwner: ownerProperty === 'id',
    digests: meta.props.flatMap((prop) =>
      prop.customType instanceof DigestType ? [{ ...toColumn(prop), source: prop.customType.sourceProperty }] : [],
    ),
  };
}

function toTextColumn(prop: EntityProperty): TextColumn {
  const type = prop.customType as EncryptedType<unknown, string>;
  return {
    ...toColumn(prop),
    toStored: (value) => type.convertToDatabaseValue(value, undefined as never),
    toColumnValue: (encryptedText) => type.toColumnValue(encryptedText),
    isJson: type instanceof EncryptedJsonType,
    plainText: type.plainText,
  };
}

function toColumn({ name, fieldNames }: EntityProperty): Column {
  return { name, field: fieldNames[0]! };
}
