/**
 * Shown instead of a text that cannot be decrypted, because its key was destroyed or it was changed in the database.
 */
export const UNREADABLE_TEXT = '[unreadable]';

/** The stored forms of the unreadable texts of a row, by property or by column. */
export type UnreadableTexts = ReadonlyMap<string, string>;

const textsByEntity = new WeakMap<object, UnreadableTexts>();

/** Remembers the stored forms of an entity's unreadable texts, so that a bulk update does not overwrite them. */
export function rememberUnreadable(entity: object, texts: UnreadableTexts): void {
  textsByEntity.set(entity, texts);
}

/** Returns the stored form of an unreadable text. Undefined if the text is readable, or has been replaced since. */
export function findUnreadable(entity: object, property: string, value: unknown): string | undefined {
  return value === UNREADABLE_TEXT ? textsByEntity.get(entity)?.get(property) : undefined;
}
