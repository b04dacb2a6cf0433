import { createStore } from './store.js';

export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', fr: 'Français' } as const;
export type Language = keyof typeof LANGUAGES;

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Settings that are stored on this device: language and theme. They contain no personal data. */
type Appearance = { language: Language; theme: Theme };

const KEY = 'care-scheduling.appearance';

export const appearance = createStore<Appearance>(read());

appearance.subscribe(apply);
apply();

export function setLanguage(language: Language): void {
  keep({ ...appearance.get(), language });
}

export function setTheme(theme: Theme): void {
  keep({ ...appearance.get(), theme });
}

function keep(choices: Appearance): void {
  appearance.set(choices);
  try {
    localStorage.setItem(KEY, JSON.stringify(choices));
  } catch {
    // If the browser does not allow storage, the choice lasts only until the page is closed.
  }
}

function read(): Appearance {
  const kept = readKept();
  const preferred = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage);
  return {
    language: isLanguage(kept.language) ? kept.language : (preferred ?? 'en'),
    theme: THEMES.find((theme) => theme === kept.theme) ?? 'system',
  };
}

function readKept(): { language?: unknown; theme?: unknown } {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as unknown;
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

function isLanguage(value: unknown): value is Language {
  return typeof value === 'string' && Object.hasOwn(LANGUAGES, value);
}

function apply(): void {
  const { language, theme } = appearance.get();
  const root = document.documentElement;
  root.lang = language;
  if (theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
}
