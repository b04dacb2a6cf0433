import { appearance, type Language } from '../app/appearance.js';
import { useStore } from '../app/store.js';

/** The texts of one area in all languages. If a translation is missing, the code does not compile. */
export type TranslatedTexts<T> = Readonly<Record<Language, T>>;

export function defineTexts<T extends object>(
  en: T,
  others: Record<Exclude<Language, 'en'>, NoInfer<T>>,
): TranslatedTexts<T> {
  return { en, ...others };
}

/** Returns the texts in the user's language. */
export function useText<T>(texts: TranslatedTexts<T>): T {
  return texts[useStore(appearance).language];
}

/** Returns the texts outside of components, for example for a message that is shown after a request. */
export function getText<T>(texts: TranslatedTexts<T>): T {
  return texts[appearance.get().language];
}

type PluralForms = { one: string; other: string };

/**
 * Chooses the plural form for a number, and replaces `#` with the number: `formatPlural('en', 2, { one: '# day', other:
 * '# days' })`.
 */
export function formatPlural(language: Language, count: number, { one, other }: PluralForms): string {
  const form = new Intl.PluralRules(language).select(count) === 'one' ? one : other;
  return form.replace('#', new Intl.NumberFormat(language).format(count));
}
