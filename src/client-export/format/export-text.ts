import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../shared/http/index.js';
import type { ListSectionName, SingleObjectSectionName } from '../dto/client-export.js';

export const EXPORT_LANGUAGES = ['en', 'de', 'es', 'fr'] as const;
type ExportLanguage = (typeof EXPORT_LANGUAGES)[number];

/**
 * The texts of the HTML page in one language: its sentences, the headings of sections, the labels of fields, and the
 * meanings of constants.
 */
type ExportTexts = {
  words: Record<'title' | 'intro' | 'none' | 'end' | 'yes' | 'no', string>;
  sections: Record<SingleObjectSectionName | ListSectionName, string>;
  labels: Record<string, string>;
  constants: Record<string, string>;
};

const read = (language: ExportLanguage) =>
  JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), 'utf8')) as ExportTexts;
export const EXPORT_TEXTS = Object.fromEntries(
  EXPORT_LANGUAGES.map((language) => [language, read(language)]),
) as Readonly<Record<ExportLanguage, ExportTexts>>;

/** Provides the texts of an HTML page in the Client's language, or in English if there is no translation. */
export class ExportTranslator {
  readonly language: ExportLanguage;
  private readonly texts: ExportTexts;
  private readonly instants: Intl.DateTimeFormat;

  /** @param zone an IANA time zone; UTC is used instead if this release does not know it */
  constructor(locale: string | null, zone: string) {
    const language = findLanguage(locale ?? 'en');
    this.language = EXPORT_LANGUAGES.find((known) => known === language) ?? 'en';
    this.texts = EXPORT_TEXTS[this.language];
    this.instants = createFormat(this.language, zone);
  }

  getWord(name: keyof ExportTexts['words']): string {
    return this.texts.words[name];
  }

  getSection(name: SingleObjectSectionName | ListSectionName): string {
    return this.texts.sections[name];
  }

  getLabel(name: string): string {
    return Object.hasOwn(this.texts.labels, name) ? this.texts.labels[name]! : name;
  }

  /** Returns the text for a constant, or the constant itself if there is no text for it. */
  getConstant(value: string): string {
    return Object.hasOwn(this.texts.constants, value) ? this.texts.constants[value]! : value;
  }

  /** @param instant in ISO 8601 format */
  writeInstant(instant: string): string {
    const { epochMilliseconds } = Temporal.Instant.from(instant);
    return `<time datetime="${escapeHtml(instant)}">${escapeHtml(this.instants.format(epochMilliseconds))}</time>`;
  }
}

/**
 * Returns the language of a tag, or undefined if this version of Node rejects the tag, which another release may have
 * stored.
 */
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
