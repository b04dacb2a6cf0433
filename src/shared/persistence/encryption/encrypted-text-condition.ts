import type { EntityMetadata } from '@mikro-orm/core';
import type { KeyOwnerKind } from '../../encryption/key-owner.js';
import { ENCRYPTED_TEXT_PREFIX } from '../../encryption/text-cipher.js';
import { findEncryptedTable } from './encrypted-tables.js';

/** The encrypted texts of one table, with the SQL that finds them. */
type EncryptedTexts = {
  table: string;
  /** The kind of the records whose keys encrypt the texts, and the column with their IDs. */
  ownerKind: KeyOwnerKind;
  ownerColumn: string;
  /** Whether a row has an encrypted text. */
  condition: string;
};

/** Returns the tables with encrypted texts, and SQL that finds these texts. */
export function findEncryptedTexts(entities: Iterable<EntityMetadata>): EncryptedTexts[] {
  return [...entities].flatMap((meta) => {
    const table = findEncryptedTable(meta);
    if (table === undefined) return [];
    const { name, owner, columns } = table;
    const texts = columns.map(({ field, isJson }) => (isJson ? `(${field} #>> '{}')` : field));
    const condition = texts.map((text) => `starts_with(${text}, '${ENCRYPTED_TEXT_PREFIX}')`).join(' or ');
    return [{ table: name, ownerKind: owner.kind, ownerColumn: owner.field, condition: `(${condition})` }];
  });
}
