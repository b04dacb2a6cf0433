import { Logger } from '@nestjs/common';
import type { EntityMetadata } from '@mikro-orm/core';
import type { KeyObject } from 'node:crypto';
import type { DataKeys, LoadedKeys } from '../../encryption/data-keys.js';
import { INSTALLATION_KEY_OWNER, toOwnerKey, type KeyOwner } from '../../encryption/key-owner.js';
import {
  computeTextDigest,
  decryptText,
  encryptText,
  escapeEncryptionMark,
  findKeyOwnerKind,
  isEncryptedText,
  unescapeEncryptionMark,
} from '../../encryption/text-cipher.js';
import type { AnyEntityManager } from '../tenancy/tenant-entity-manager.js';
import { findEncryptedTable, type EncryptedTable } from './encrypted-tables.js';
import { InsertPreparation } from './insert-preparation.js';
import {
  computeEntityDigests,
  encryptEntityTexts,
  replaceTextsAsErased,
  hasDigestToCompute,
  hasTextToEncrypt,
  toClinicKeyOwner,
  toKeyOwner,
  formatTextPlace,
  toDigestPurpose,
  toRowKey,
  type EntityValues,
} from './stored-values.js';
import { ERASED_TEXT_PLACEHOLDER, UNREADABLE_TEXT_PLACEHOLDER } from './unreadable-texts.js';

/** A row as the database returns it, by column. */
export type StoredRow = Record<string, unknown>;

type EncryptionOptions = {
  /** Returns the properties of an entity that are written. Defaults to all its properties. */
  writtenOf?: (entity: object) => Record<string, unknown>;
  /**
   * The treatment of texts whose key was destroyed. `refuse` (the default): throws ConflictError. `erase`: replaces them
   * with `ERASED_TEXT_PLACEHOLDER`, for statements that also rewrite unchanged texts. `keep`: leaves them unencrypted.
   */
  ifDestroyed?: 'refuse' | 'erase' | 'keep';
};

/** The values of an entity that are stored in a different form, by property: encrypted texts and digests. */
export type StoredValues = Readonly<Record<string, string | null>>;

/** A text, and the table, column and row to which it is bound. */
export type PlacedText = { text: string | null; place: { table: string; column: string; row: string } };

/** Called with the table and column of a text that could not be decrypted. */
type UnreadableObserver = (table: string, column: string) => void;

/** Minimum interval between two log messages about unreadable texts of the same column. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Encrypts and decrypts the columns that entities declare with `columnTypes.encrypted`. The EntityManager calls it for rows
 * that it has read, and before it writes rows; hand-written SQL calls `decryptRows` of `shared/persistence`.
 */
export class FieldEncryption {
  /** The function that is called for each text that cannot be decrypted. */
  onUnreadable: UnreadableObserver = () => undefined;
  private readonly preparation: InsertPreparation;
  private readonly logger = new Logger('Encryption');
  private readonly loggedAt = new Map<string, number>();

  /**
   * @param keys undefined if there are no keys; encrypted texts are then unreadable
   * @param encrypts whether rows are written encrypted. If not, they are written plain, and both forms are read.
   */
  constructor(
    readonly keys?: DataKeys,
    readonly encrypts = false,
  ) {
    this.preparation = new InsertPreparation(keys);
  }

  /** Must be called when a connection is established, because it may be the first one to another server. */
  forgetReservedIds(): void {
    this.preparation.ids.forget();
  }

  /**
   * Decrypts columns of rows in place. Unreadable texts are replaced by `UNREADABLE_TEXT_PLACEHOLDER`, or by
   * `ERASED_TEXT_PLACEHOLDER` if their key was destroyed.
   *
   * @returns for each row with unreadable texts, their stored values by column
   */
  async decryptRows(table: EncryptedTable, rows: readonly StoredRow[]): Promise<Map<StoredRow, Map<string, string>>> {
    const unreadable = new Map<StoredRow, Map<string, string>>();
    const encrypted = rows.filter((row) => table.columns.some(({ field }) => isEncryptedValue(row[field])));
    if (encrypted.length === 0) return unreadable;
    const owners = encrypted.map((row) => toKeyOwner(table, row[table.owner.field]));
    const keys = await this.loadKeys(owners);
    for (const [index, row] of encrypted.entries()) {
      const owner = owners[index]!;
      const key = keys?.get(toOwnerKey(owner));
      const rowKey = toRowKey(table, row, 'field');
      for (const { field } of table.columns) {
        const stored = row[field];
        if (!isEncryptedValue(stored)) continue;
        const text = this.decrypt(owner, key, stored, formatTextPlace(table, field, rowKey));
        if (text !== undefined) {
          row[field] = text;
          continue;
        }
        const place = { table: table.name, column: field, row: rowKey };
        row[field] = this.replaceUnreadable(owner, stored, place);
        unreadable.set(row, (unreadable.get(row) ?? new Map<string, string>()).set(field, stored));
      }
    }
    return unreadable;
  }

  /**
   * Sets the IDs of new entities whose texts will be encrypted, and creates the keys of new records. Entities with a
   * composite primary key are skipped, because their IDs are already set.
   */
  async prepareInsert(em: AnyEntityManager, meta: EntityMetadata, entities: readonly object[]): Promise<void> {
    if (this.encrypts) await this.preparation.prepare(em, meta, entities);
  }

  /**
   * Computes the values with which rows are written.
   *
   * @returns undefined if all values are written unchanged
   * @throws ConflictError if the key of a record was destroyed, unless `ifDestroyed` says otherwise
   */
  async encryptRows(
    meta: EntityMetadata,
    entities: readonly object[],
    { writtenOf = (entity) => entity as EntityValues, ifDestroyed = 'refuse' }: EncryptionOptions = {},
  ): Promise<ReadonlyMap<object, StoredValues> | undefined> {
    const table = findEncryptedTable(meta);
    if (table === undefined || this.keys === undefined) return undefined;
    const rows = (entities as readonly EntityValues[]).map((entity) => ({ entity, written: writtenOf(entity) }));
    const withTexts = this.encrypts
      ? rows.filter(({ entity, written }) => hasTextToEncrypt(table, entity, written))
      : [];
    const digested = rows.filter(({ entity, written }) => hasDigestToCompute(table, entity, written));
    if (withTexts.length === 0 && digested.length === 0) return undefined;
    const owners = uniqueOwners([
      ...withTexts.map(({ entity }) => toKeyOwner(table, entity[table.owner.name])),
      ...digested.map(({ entity }) => toClinicKeyOwner(entity)),
    ]);
    const keys = await this.keys.loadOrCreate(owners, { ignoreDestroyed: ifDestroyed !== 'refuse' });
    const stored = new Map<object, Record<string, string | null>>();
    for (const { entity, written } of withTexts) {
      const texts = encryptEntityTexts(table, keys, entity, written);
      stored.set(entity, texts ?? (ifDestroyed === 'erase' ? replaceTextsAsErased(table, entity, written) : {}));
    }
    for (const { entity } of digested)
      stored.set(entity, { ...stored.get(entity), ...computeEntityDigests(table, keys, entity) });
    return stored;
  }

  /**
   * Computes the digests by which rows of a Clinic can be found by their texts. Returns an empty list if there are no
   * keys.
   */
  async computeDigests(
    table: EncryptedTable,
    source: string,
    clinicId: number,
    texts: readonly string[],
  ): Promise<string[]> {
    if (this.keys === undefined || texts.length === 0) return [];
    const clinic = { kind: 'CLINIC', id: clinicId } as const;
    const key = (await this.keys.load([clinic])).get(toOwnerKey(clinic));
    // A Clinic that has no key has no stored digests either.
    return key === undefined ? [] : texts.map((text) => computeTextDigest(key, text, toDigestPurpose(table, source)));
  }

  /**
   * Encrypts texts for hand-written SQL, with the key of a record. If the record has no key and none may be created, the
   * key of the installation is used. If its key was destroyed, the texts are dropped: a request that began before an
   * erasure must not leave a readable text.
   *
   * @param options.isKnown whether the record exists, so that its key may be created
   */
  async encryptTexts(
    owner: KeyOwner,
    texts: readonly PlacedText[],
    { isKnown }: { isKnown: boolean },
  ): Promise<(string | null)[]> {
    const { keys } = this;
    if (keys === undefined || !this.encrypts)
      return texts.map(({ text }) => (text === null ? null : escapeEncryptionMark(text)));
    const own = isKnown ? await keys.loadOrCreate([owner], { ignoreDestroyed: true }) : await keys.load([owner]);
    const ownKey = own.get(toOwnerKey(owner));
    if (ownKey === undefined && keys.isDestroyed(owner))
      return texts.map(({ text }) => (text === null ? null : ERASED_TEXT_PLACEHOLDER));
    const key = ownKey ?? (await keys.loadOrCreate([INSTALLATION_KEY_OWNER])).get(toOwnerKey(INSTALLATION_KEY_OWNER))!;
    const { kind } = ownKey === undefined ? INSTALLATION_KEY_OWNER : owner;
    return texts.map(({ text, place }) => {
      return text === null ? null : encryptText(key, kind, escapeEncryptionMark(text), toTextPlace(place));
    });
  }

  /** Decrypts texts that `encryptTexts` has encrypted. Unreadable texts are replaced as in `decryptRows`. */
  async decryptTexts(texts: readonly (PlacedText & { owner: KeyOwner })[]): Promise<(string | null)[]> {
    const ownerOf = ({ text, owner }: { text: string | null; owner: KeyOwner }) =>
      text !== null && findKeyOwnerKind(text) === INSTALLATION_KEY_OWNER.kind ? INSTALLATION_KEY_OWNER : owner;
    const keys = await this.loadKeys(texts.filter(({ text }) => isEncryptedValue(text)).map(ownerOf));
    return texts.map((placed) => {
      const { text: stored, place } = placed;
      if (stored === null) return null;
      if (!isEncryptedText(stored)) return unescapeEncryptionMark(stored);
      const owner = ownerOf(placed);
      const text = this.decrypt(owner, keys?.get(toOwnerKey(owner)), stored, toTextPlace(place));
      if (text !== undefined) return unescapeEncryptionMark(text);
      return this.replaceUnreadable(owner, stored, place);
    });
  }

  private async loadKeys(owners: readonly KeyOwner[]): Promise<LoadedKeys | undefined> {
    return this.keys?.load(uniqueOwners(owners));
  }

  private decrypt(
    { kind }: Pick<KeyOwner, 'kind'>,
    key: KeyObject | undefined,
    stored: string,
    place: string,
  ): string | undefined {
    return key === undefined || findKeyOwnerKind(stored) !== kind ? undefined : decryptText(key, stored, place);
  }

  /**
   * Returns the text to show instead of an unreadable one, and reports it. A text whose key was destroyed is not
   * reported, because it is meant to be unreadable.
   */
  private replaceUnreadable(owner: KeyOwner, stored: string, place: PlacedText['place']): string {
    if (findKeyOwnerKind(stored) === owner.kind && this.keys?.isDestroyed(owner)) return ERASED_TEXT_PLACEHOLDER;
    this.report(place);
    return UNREADABLE_TEXT_PLACEHOLDER;
  }

  private report({ table: name, column, row }: PlacedText['place']): void {
    this.onUnreadable(name, column);
    const now = performance.now();
    if (now - (this.loggedAt.get(`${name}.${column}`) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
    this.loggedAt.set(`${name}.${column}`, now);
    this.logger.error({ table: name, column, row }, 'a text cannot be decrypted');
  }
}

function toTextPlace({ table, column, row }: PlacedText['place']): string {
  return `${table}.${column}/${row}`;
}

function isEncryptedValue(value: unknown): value is string {
  return typeof value === 'string' && isEncryptedText(value);
}

function uniqueOwners(owners: readonly KeyOwner[]): KeyOwner[] {
  return [...new Map(owners.map((owner) => [toOwnerKey(owner), owner])).values()];
}
