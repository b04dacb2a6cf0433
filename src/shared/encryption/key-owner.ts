/**
 * The record to which a data key belongs. If the key is destroyed, everything that is encrypted with it becomes
 * unreadable, even in backups of the database. `INSTALLATION_KEY_OWNER` is for data that belongs to no record of the directory.
 */
export type KeyOwner = { readonly kind: KeyOwnerKind; readonly id: number };
export type KeyOwnerKind = keyof typeof KIND_CODES;

/**
 * The letter for each kind of owner in encrypted texts. Stored texts contain these letters, so they must not change.
 */
const KIND_CODES = { CLIENT: 'c', CARE_PROVIDER: 'p', CLINIC: 'k', INSTALLATION: 'i' } as const;
const KINDS = new Map(Object.entries(KIND_CODES).map(([kind, code]) => [code as string, kind as KeyOwnerKind]));

/** Length of a data key, as AES-256 requires. */
export const DATA_KEY_BYTES = 32;

export const KEY_OWNER_KINDS = Object.keys(KIND_CODES) as KeyOwnerKind[];

/** The owner of the key for data that belongs to no record. */
export const INSTALLATION_KEY_OWNER: KeyOwner = { kind: 'INSTALLATION', id: 0 };

export function toKindCode(kind: KeyOwnerKind): string {
  return KIND_CODES[kind];
}

export function fromKindCode(code: string): KeyOwnerKind | undefined {
  return KINDS.get(code);
}

/** Returns a key that identifies the owner in a Map, such as `CLIENT 12`. */
export function toOwnerKey({ kind, id }: KeyOwner): string {
  return `${kind} ${id}`;
}
