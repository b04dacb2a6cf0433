import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../shared/http/index.js';
import type { ListSection, SingleSection } from '../dto/client-export.js';

export const EXPORT_LANGUAGES = ['en', 'de', 'es', 'fr'] as const;
export type ExportLanguage = (typeof EXPORT_LANGUAGES)[number];

/** Texts of the page: its sentences, the names of sections and members, and what the constants of the service mean. */
export type ExportTexts = {
  words: Record<'title' | 'intro' | 'none' | 'end' | 'yes' | 'no', string>;
  sections: Record<SingleSection | ListSection, string>;
  labels: Record<string, string>;
  constants: Record<string, string>;
};

const read = (language: ExportLanguage) =>
  JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), 'utf8')) as ExportTexts;
export const EXPORT_TEXTS = Object.fromEntries(
  EXPORT_LANGUAGES.map((language) => [language, read(language)]),
) as Readonly<Record<ExportLanguage, ExportTexts>>;

/** The texts of a page in the language of a Client, or in English if there is no translation. */
export class ExportText {
  readonly language: ExportLanguage;
  private readonly texts: ExportTexts;
  private readonly instants: Intl.DateTimeFormat;

  /** @param zone an IANA time zone. UTC replaces one that this release does not know. */
  constructor(locale: string | null, zone: string) {
    const language = findLanguage(locale ?? 'en');
    this.language = EXPORT_LANGUAGES.find((known) => known === language) ?? 'en';
    this.texts = EXPORT_TEXTS[this.language];
    this.instants = createFormat(this.language, zone);
  }

  getWord(name: keyof ExportTexts['words']): string {
    return this.texts.words[name];
  }

  getSection(name: SingleSection | ListSection): string {
    return this.texts.sections[name];
  }

  getLabel(name: string): string {
    return Object.hasOwn(this.texts.labels, name) ? this.texts.labels[name]! : name;
  }

  /** Returns what a constant means, or the constant itself if it has no text. */
  getConstant(value: string): string {
    return Object.hasOwn(this.texts.constants, value) ? this.texts.constants[value]! : value;
  }

  /** @param instant in ISO 8601 format */
  writeInstant(instant: string): string {
    const { epochMilliseconds } = Temporal.Instant.from(instant);
    return `<time datetime="${escapeHtml(instant)}">${escapeHtml(this.instants.format(epochMilliseconds))}</time>`;
  }
}

/** Another release may have stored a tag that this one does not know. */
function findLanguage(locale: string): string | undefined {
  try {
    return new Intl.Locale(locale).language;
  } catch {
    return undefined;
  }
}

function createFormat(language: string, timeZone: string): Intl.DateTimeFormat {
  const style: Intl.DateTimeFormatOptions = {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit' },
    timeZoneName: 'short',
  };
  const locale = language === 'en' ? 'en-GB' : language;
  try {
    return new Intl.DateTimeFormat(locale, { ...style, timeZone });
  } catch {
    return new Intl.DateTimeFormat(locale, { ...style, timeZone: 'UTC' });
  }
}
