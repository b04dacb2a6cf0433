/** Letters with a stroke and ligatures. Unicode normalisation does not decompose them into a base letter and a mark. */
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't' },
  ...{ æ: 'ae', œ: 'oe', þ: 'th' },
  // The form of sigma at the end of a word is replaced by the usual one.
  ς: 'σ',
};
const UNDECOMPOSED_LETTERS = new RegExp(`[${Object.keys(UNDECOMPOSED).join('')}]`, 'gu');

/**
 * Maximum length of a decomposed name. It is four times that of the longest name, of 300 characters, and only cuts names
 * of letters that stand for whole phrases: one of them becomes 18 letters.
 */
const MAX_DECOMPOSED_LENGTH = 1_200;

/**
 * Removes what a search ignores: case, accents and compatibility forms. `José` becomes `jose`, `Straße` becomes
 * `strasse`. The dotless and the dotted i of Turkish both become `i`. The result does not depend on a locale or on the
 * version of the language data, so all instances sort names in the same order.
 */
export function foldName(name: string): string {
  const letters = name.normalize('NFKD').slice(0, MAX_DECOMPOSED_LENGTH).replace(/\p{M}/gu, '');
  // The capital ẞ becomes ß in lower case, which only then becomes SS in upper case.
  const lowerCase = letters.toLowerCase().toUpperCase().toLowerCase();
  return lowerCase.replace(UNDECOMPOSED_LETTERS, (letter) => UNDECOMPOSED[letter]!);
}

/** Whether a name contains each word of a search text. */
export function matchesName(name: string, search = ''): boolean {
  const folded = foldName(name);
  return toSearchWords(search).every((word) => folded.includes(word));
}

/** Splits a search text into folded words. A name matches if it contains each of them, in any order. */
export function toSearchWords(text: string): string[] {
  return foldName(text).split(/\s+/u).filter(Boolean);
}
