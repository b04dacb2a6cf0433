import { Type } from '@mikro-orm/core';
import { escapePlainText, unescapePlainText } from '../../encryption/text-cipher.js';
import type { KeyKind } from '../../encryption/key-owner.js';

type Text = string | null | undefined;

/**
 * A `text` column that is encrypted with the data key of a record. A MikroORM type sees only the value and not its row,
 * so this type merely escapes plain texts; `FieldEncryption` encrypts and decrypts where statements are sent and rows
 * are read (ADR 17).
 */
export class EncryptedTextType extends Type<Text, Text> {
  /** @param ownerProperty the property of the entity with the ID of the record whose key is used */
  constructor(
    readonly ownerKind: KeyKind,
    readonly ownerProperty: string,
    readonly plainText?: string,
  ) {
    super();
  }

  override convertToDatabaseValue(value: Text): Text {
    return value == null ? value : escapePlainText(value);
  }

  override convertToJSValue(value: Text): Text {
    return value == null ? value : unescapePlainText(value);
  }

  override getColumnType(): string {
    return 'text';
  }

  override compareAsType(): string {
    return 'string';
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
