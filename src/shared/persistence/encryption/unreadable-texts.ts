/** Shown instead of a text that cannot be decrypted: it was changed in the database, or its key is missing. */
export const UNREADABLE_TEXT_PLACEHOLDER = '[unreadable]';
/** Shown instead of a text whose key was destroyed, for example by an erasure. */
export const ERASED_TEXT_PLACEHOLDER = '[erased]';

/** The stored forms of the unreadable texts of a row, by property or by column. */
export type UnreadableTexts = ReadonlyMap<string, string>;

const textsByEntity = new WeakMap<object, UnreadableTexts>();

/** Whether a value is shown instead of a text that cannot be decrypted. */
export function isUnreadableText(value: unknown): boolean {
  return value === UNREADABLE_TEXT_PLACEHOLDER || value === ERASED_TEXT_PLACEHOLDER;
}

/** Remembers the stored forms of an entity's unreadable texts, so that a bulk update does not overwrite them. */
export function rememberUnreadableTexts(entity: object, texts: UnreadableTexts): void {
  textsByEntity.set(entity, texts);
}

/** Returns the stored form of an unreadable text. Undefined if the text is readable, or has been replaced since. */
export function findUnreadableText(entity: object, property: string, value: unknown): string | undefined {
  return isUnreadableText(value) ? textsByEntity.get(entity)?.get(property) : undefined;
}
