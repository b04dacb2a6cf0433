import type { LoadedKeys } from '../../encryption/data-keys.js';
import { toOwnerKey, type KeyOwner } from '../../encryption/key-owner.js';
import { computeDigest, encryptText } from '../../encryption/text-cipher.js';
import type { EncryptedTable, TextColumn } from './encrypted-tables.js';
import { ERASED_TEXT, findUnreadable } from './unreadable-texts.js';

/* The stored forms of an entity's values, which `FieldEncryption` writes instead of the plain values. */

export type Entity = Record<string, unknown>;

export function toOwner({ owner }: EncryptedTable, id: unknown): KeyOwner {
  return { kind: owner.kind, id: Number(id) };
}

export function toClinic(entity: Entity): KeyOwner {
  return { kind: 'CLINIC', id: Number(entity['clinicId']) };
}

/** Binds an encrypted text to its table, column and row. Stored texts depend on this form, so it must not change. */
export function toPlace({ name }: EncryptedTable, field: string, rowKey: string): string {
  return `${name}.${field}/${rowKey}`;
}

/** Returns the primary key of an entity or, if `from` is `field`, of a database row. */
export function toRowKey({ keys }: EncryptedTable, values: Entity, from: 'name' | 'field'): string {
  return keys.map((key) => Number(values[key[from]])).join('.');
}

export function toPurpose({ name }: EncryptedTable, source: string): string {
  return `${name}.${source}`;
}

export function hasText({ columns }: EncryptedTable, entity: Entity, written: Entity): boolean {
  return columns.some((column) => isWritten(entity, column, written));
}

/**
 * Whether a text is encrypted and written. Texts that could not be read, and texts that are not about a person, are
 * stored unchanged.
 */
function isWritten(entity: Entity, { name, plainText }: TextColumn, written: Entity): boolean {
  return written[name] != null && entity[name] !== plainText && !isUnreadable(entity, name);
}

export function hasDigest({ digests }: EncryptedTable, entity: Entity, written: Entity): boolean {
  return digests.some(({ source }) => source in written && !isUnreadable(entity, source));
}

function isUnreadable(entity: Entity, name: string): boolean {
  return findUnreadable(entity, name, entity[name]) !== undefined;
}

/** Returns undefined if the owner has no key. */
export function encryptTexts(
  table: EncryptedTable,
  keys: LoadedKeys,
  entity: Entity,
  written: Entity,
): Record<string, string | null> | undefined {
  const key = keys.get(toOwnerKey(toOwner(table, entity[table.owner.name])));
  const stored: Record<string, string | null> = {};
  if (key === undefined) return undefined;
  const rowKey = toRowKey(table, entity, 'name');
  for (const column of table.columns) {
    if (!isWritten(entity, column, written)) continue;
    const { name, field, toStored, toColumnValue } = column;
    const place = toPlace(table, field, rowKey);
    stored[name] = toColumnValue(encryptText(key, table.owner.kind, toStored(entity[name]), place));
  }
  return stored;
}

/** Replaces the texts that would be written. Texts that are unreadable already keep their stored form. */
export function eraseTexts({ columns }: EncryptedTable, entity: Entity, written: Entity): Record<string, string> {
  const erased = columns.filter((column) => isWritten(entity, column, written));
  return Object.fromEntries(erased.map(({ name, toColumnValue }) => [name, toColumnValue(ERASED_TEXT)]));
}

export function computeRowDigests(
  table: EncryptedTable,
  keys: LoadedKeys,
  entity: Entity,
): Record<string, string | null> {
  const key = keys.get(toOwnerKey(toClinic(entity)));
  return Object.fromEntries(
    table.digests.map(({ name, source }) => {
      const text = entity[source] as string | null | undefined;
      return [name, text == null || key === undefined ? null : computeDigest(key, text, toPurpose(table, source))];
    }),
  );
}
