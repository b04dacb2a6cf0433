/**
 * The record to which a data key belongs. If the key is destroyed, everything that is encrypted with it becomes
 * unreadable, even in backups of the database. `INSTALLATION` is for data that belongs to no record of the directory.
 */
export type KeyOwner = { readonly kind: KeyKind; readonly id: number };
export type KeyKind = keyof typeof KIND_CODES;

/**
 * The letter for each kind of owner in encrypted texts. Stored texts contain these letters, so they must not change.
 */
const KIND_CODES = { CLIENT: 'c', CARE_PROVIDER: 'p', CLINIC: 'k', INSTALLATION: 'i' } as const;
const KINDS = new Map(Object.entries(KIND_CODES).map(([kind, code]) => [code as string, kind as KeyKind]));

/** Length of data keys, which AES-256 requires. */
export const DATA_KEY_BYTES = 32;

export const KEY_KINDS = Object.keys(KIND_CODES) as KeyKind[];

/** The owner of the key for data that belongs to no record. */
export const INSTALLATION: KeyOwner = { kind: 'INSTALLATION', id: 0 };

export function toKindCode(kind: KeyKind): string {
  return KIND_CODES[kind];
}

export function fromKindCode(code: string): KeyKind | undefined {
  return KINDS.get(code);
}

/** Returns a key that identifies the owner in a Map, such as `CLIENT 12`. */
export function toOwnerKey({ kind, id }: KeyOwner): string {
  return `${kind} ${id}`;
}
