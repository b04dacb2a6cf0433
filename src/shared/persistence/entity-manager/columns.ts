import { p } from '@mikro-orm/core';
import type { KeyOwnerKind } from '../../encryption/key-owner.js';
import {
  DigestType,
  EncryptedJsonType,
  EncryptedTextType,
  KeyOwnerIdType,
} from '../encryption/encrypted-column.types.js';
import { InstantType } from './instant.type.js';

/** Column types that entities share: IDs are `bigint` and read as numbers; instants are `timestamptz`. */
export const columnTypes = {
  id: () => p.bigint('number').primary().autoincrement(),
  /** The ID of a record that has a data key, but no encrypted column of its own. */
  keyOwnerId: (ownerKind: KeyOwnerKind) =>
    p.type(new KeyOwnerIdType(ownerKind)).$type<number>().primary().autoincrement(),
  reference: () => p.bigint('number'),
  instant: () => p.type(InstantType).$type<Temporal.Instant>(),
  /**
   * A text that is encrypted with the data key of a record (ADR 17).
   *
   * @param ownerProperty the property with the ID of that record. All encrypted columns of an entity have the same
   * owner.
   * @param plainText a text that is not about a person and is therefore not encrypted
   */
  encrypted: (ownerKind: KeyOwnerKind, ownerProperty: string, plainText?: string) =>
    p.type(new EncryptedTextType(ownerKind, ownerProperty, plainText)).$type<string>(),
  /**
   * A JSON document that is encrypted as a whole. It must not be a string.
   *
   * @param toUnreadable creates the document to show for an unreadable one, from the text `[unreadable]` or `[erased]`
   */
  encryptedJson: <Document extends object>(
    ownerKind: KeyOwnerKind,
    ownerProperty: string,
    toUnreadable: (text: string) => Document,
  ) => p.type(new EncryptedJsonType(ownerKind, ownerProperty, toUnreadable)).$type<Document>(),
  /** A keyed digest of an encrypted column, by which rows are found. The service sets it when it writes the row. */
  digestOf: (sourceProperty: string) => p.type(new DigestType(sourceProperty)).$type<string>(),
};
