import type { LoadedKeys } from '../../encryption/data-keys.js';
import { toOwnerKey, type KeyOwner } from '../../encryption/key-owner.js';
import { computeTextDigest, encryptText } from '../../encryption/text-cipher.js';
import type { EncryptedTable, TextColumn } from './encrypted-tables.js';
import { ERASED_TEXT_PLACEHOLDER, findUnreadableText } from './unreadable-texts.js';

/* The stored forms of an entity's values, which `FieldEncryption` writes instead of the plain values. */

export type EntityValues = Record<string, unknown>;

export function toKeyOwner({ owner }: EncryptedTable, id: unknown): KeyOwner {
  return { kind: owner.kind, id: Number(id) };
}

export function toClinicKeyOwner(entity: EntityValues): KeyOwner {
  return { kind: 'CLINIC', id: Number(entity['clinicId']) };
}

/** Binds an encrypted text to its table, column and row. Stored texts depend on this form, so it must not change. */
export function formatTextPlace({ name }: EncryptedTable, field: string, rowKey: string): string {
  return `${name}.${field}/${rowKey}`;
}

/** Returns the primary key of an entity or, if `from` is `field`, of a database row. */
export function toRowKey({ keys }: EncryptedTable, values: EntityValues, from: 'name' | 'field'): string {
  return keys.map((key) => Number(values[key[from]])).join('.');
}

export function toDigestPurpose({ name }: EncryptedTable, source: string): string {
  return `${name}.${source}`;
}

export function hasTextToEncrypt({ columns }: EncryptedTable, entity: EntityValues, written: EntityValues): boolean {
  return columns.some((column) => isWritten(entity, column, written));
}

/**
 * Whether a text is encrypted and written. Texts that could not be read, and texts that are not about a person, are
 * stored unchanged.
 */
function isWritten(entity: EntityValues, { name, plainText }: TextColumn, written: EntityValues): boolean {
  return written[name] != null && entity[name] !== plainText && !isUnreadable(entity, name);
}

export function hasDigestToCompute({ digests }: EncryptedTable, entity: EntityValues, written: EntityValues): boolean {
  return digests.some(({ source }) => source in written && !isUnreadable(entity, source));
}

function isUnreadable(entity: EntityValues, name: string): boolean {
  return findUnreadableText(entity, name, entity[name]) !== undefined;
}

/** Returns the encrypted texts of an entity by property, or undefined if the owner of the texts has no key. */
export function encryptEntityTexts(
  table: EncryptedTable,
  keys: LoadedKeys,
  entity: EntityValues,
  written: EntityValues,
): Record<string, string | null> | undefined {
  const key = keys.get(toOwnerKey(toKeyOwner(table, entity[table.owner.name])));
  const stored: Record<string, string | null> = {};
  if (key === undefined) return undefined;
  const rowKey = toRowKey(table, entity, 'name');
  for (const column of table.columns) {
    if (!isWritten(entity, column, written)) continue;
    const { name, field, toStored, toColumnValue } = column;
    const place = formatTextPlace(table, field, rowKey);
    stored[name] = toColumnValue(encryptText(key, table.owner.kind, toStored(entity[name]), place));
  }
  return stored;
}

/**
 * Returns placeholders for the texts of an entity whose key was destroyed. Texts that were unreadable before keep their
 * stored form.
 */
export function replaceTextsAsErased(
  { columns }: EncryptedTable,
  entity: EntityValues,
  written: EntityValues,
): Record<string, string> {
  const erased = columns.filter((column) => isWritten(entity, column, written));
  return Object.fromEntries(erased.map(({ name, toColumnValue }) => [name, toColumnValue(ERASED_TEXT_PLACEHOLDER)]));
}

export function computeEntityDigests(
  table: EncryptedTable,
  keys: LoadedKeys,
  entity: EntityValues,
): Record<string, string | null> {
  const key = keys.get(toOwnerKey(toClinicKeyOwner(entity)));
  return Object.fromEntries(
    table.digests.map(({ name, source }) => {
      const text = entity[source] as string | null | undefined;
      return [
        name,
        text == null || key === undefined ? null : computeTextDigest(key, text, toDigestPurpose(table, source)),
      ];
    }),
  );
}
