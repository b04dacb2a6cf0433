import { BigIntType, Type } from '@mikro-orm/core';
import { escapeEncryptionMark, unescapeEncryptionMark } from '../../encryption/text-cipher.js';
import type { KeyOwnerKind } from '../../encryption/key-owner.js';
import { isUnreadableText } from './unreadable-texts.js';

type Text = string | null | undefined;

/**
 * A column that is encrypted with the data key of a record. A MikroORM type sees only the value and not its row, so
 * this type only converts plain values; `FieldEncryption` encrypts and decrypts where statements are sent and rows are
 * read (ADR 17).
 */
export abstract class EncryptedType<JsValue, DatabaseValue> extends Type<JsValue, DatabaseValue> {
  /** @param ownerProperty the property of the entity with the ID of the record whose key is used */
  constructor(
    readonly ownerKind: KeyOwnerKind,
    readonly ownerProperty: string,
    readonly plainText?: string,
  ) {
    super();
  }

  /** Returns the column's value for an encrypted text. */
  abstract toColumnValue(encryptedText: string): string;

  override compareAsType(): string {
    return 'string';
  }
}

/** An encrypted `text` column. */
export class EncryptedTextType extends EncryptedType<Text, Text> {
  override convertToDatabaseValue(value: Text): Text {
    return value == null ? value : escapeEncryptionMark(value);
  }

  override convertToJSValue(value: Text): Text {
    return value == null ? value : unescapeEncryptionMark(value);
  }

  override getColumnType(): string {
    return 'text';
  }

  override toColumnValue(encryptedText: string): string {
    return encryptedText;
  }
}

/**
 * An encrypted `jsonb` column. The encrypted document is stored as a JSON string, so a plain document must not be a
 * string.
 */
export class EncryptedJsonType<Document extends object> extends EncryptedType<Document, string> {
  /**
   * @param toUnreadable creates the document to show for an unreadable one, from the text `[unreadable]` or `[erased]`
   */
  constructor(
    ownerKind: KeyOwnerKind,
    ownerProperty: string,
    private readonly toUnreadable: (text: string) => Document,
  ) {
    super(ownerKind, ownerProperty);
  }

  override convertToDatabaseValue(value: Document): string {
    return JSON.stringify(value);
  }

  /**
   * @param value the parsed plain document, the JSON of a decrypted document, or the text that replaces an unreadable
   * one
   */
  override convertToJSValue(value: Document | string): Document {
    if (typeof value !== 'string') return value;
    return isUnreadableText(value) ? this.toUnreadable(value) : (JSON.parse(value) as Document);
  }

  override getColumnType(): string {
    return 'jsonb';
  }

  override toColumnValue(encryptedText: string): string {
    return JSON.stringify(encryptedText);
  }
}

/**
 * The ID of a record that has a data key, but no encrypted column of its own. `FieldEncryption` creates the key before
 * the row is inserted.
 */
export class KeyOwnerIdType extends BigIntType<'number'> {
  constructor(readonly ownerKind: KeyOwnerKind) {
    super('number');
  }
}

/**
 * A column with a keyed digest of an encrypted column of the same row, with the key of the row's Clinic. With the
 * digest, texts can be unique within a Clinic, and rows can be found by their text. `FieldEncryption` sets it.
 */
export class DigestType extends Type<Text, Text> {
  constructor(readonly sourceProperty: string) {
    super();
  }

  override getColumnType(): string {
    return 'text';
  }

  override compareAsType(): string {
    return 'string';
  }
}
