import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../shared/http/index.js';
import { fillTemplate } from './fill-template.js';

/** The text of a message in one language. */
export type MessageText = {
  subject: string;
  plain: string;
  /** The text before the opt-out link. */
  optOut: string;
  html: (optOutUrl: string) => string;
};

/**
 * One line of a message. Titles are present only if the Clinic allows them in messages. ERASED: the Session was cancelled
 * because its Client was erased.
 */
export type MessageTextItem =
  | {
      kind: 'SESSION' | 'HOMEWORK';
      startsAt: Temporal.Instant;
      isOver: boolean;
      sessionTitle?: string;
      bookTitle?: string;
    }
  | { kind: 'ERASED'; startsAt: Temporal.Instant; sessionId: number };

type MessageTemplates = Record<
  | 'subject'
  | 'subjectErased'
  | 'greeting'
  | 'session'
  | 'sessionOver'
  | 'sessionErased'
  | 'homework'
  | 'sessionTitled'
  | 'homeworkTitled'
  | 'late'
  | 'zone'
  | 'optOut',
  string
>;

const LANGUAGES = ['en', 'de', 'es', 'fr'] as const;
const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const TEMPLATES = new Map(
  LANGUAGES.map((language) => [language as string, JSON.parse(read(`${language}.json`)) as MessageTemplates]),
);
const HTML_TEMPLATE = read('message.html');

/** Renders a message in the language of `locale`, or in English if there is no translation. */
export function renderMessageText(
  items: readonly MessageTextItem[],
  { locale, timeZone, late }: { locale: string | null; timeZone: string; late: boolean },
): MessageText {
  const language = new Intl.Locale(locale ?? 'en').language;
  const templates = TEMPLATES.get(language) ?? TEMPLATES.get('en')!;
  // If there is a translation, dates follow the full locale, including its region.
  const dateLocale = TEMPLATES.has(language) ? (locale ?? 'en') : 'en';
  const lines = [
    ...new Set(items.map((item) => withSingleFullStop(renderItem(item, templates, dateLocale, timeZone)))),
  ];
  const paragraphs = [
    templates.greeting,
    ...(late ? [templates.late] : []),
    ...lines,
    fillTemplate(templates.zone, { zone: timeZone }),
  ];
  const subject = items.every(({ kind }) => kind === 'ERASED') ? templates.subjectErased : templates.subject;
  const html = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n      ');
  return {
    subject,
    plain: paragraphs.join('\n\n'),
    optOut: templates.optOut,
    html: (optOutUrl) =>
      fillTemplate(HTML_TEMPLATE, {
        language: TEMPLATES.has(language) ? language : 'en',
        subject: escapeHtml(subject),
        paragraphs: html,
        optOut: escapeHtml(templates.optOut),
        optOutUrl: escapeHtml(optOutUrl),
      }),
  };
}

function renderItem(item: MessageTextItem, templates: MessageTemplates, dateLocale: string, timeZone: string): string {
  const when = () => formatDateTime(item.startsAt, dateLocale, timeZone);
  switch (item.kind) {
    case 'ERASED':
      return fillTemplate(templates.sessionErased, { id: String(item.sessionId), when: when() });
    case 'HOMEWORK': {
      const { bookTitle: book } = item;
      return book === undefined ? templates.homework : fillTemplate(templates.homeworkTitled, { book });
    }
    case 'SESSION': {
      const { sessionTitle: title } = item;
      if (title !== undefined) return fillTemplate(templates.sessionTitled, { title, when: when() });
      return fillTemplate(item.isOver ? templates.sessionOver : templates.session, { when: when() });
    }
  }
}

/**
 * Formats a date and time. For English without a region, the month is written as a word, so that British and American
 * readers cannot misread the date.
 */
function formatDateTime(instant: Temporal.Instant, locale: string, timeZone: string): string {
  const { language, region } = new Intl.Locale(locale);
  if (language !== 'en' || region !== undefined)
    return getDateTimeFormat(locale, timeZone, LOCALE_FORMAT).format(instant.epochMilliseconds);
  const parts = getDateTimeFormat('en-GB', timeZone, UNAMBIGUOUS_FORMAT).formatToParts(instant.epochMilliseconds);
  const { weekday, day, month, year, hour, minute } = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return `${weekday}, ${day} ${month} ${year}, ${hour}:${minute}`;
}

/** A locale can choose another calendar or other digits, which the other words of the message do not explain. */
const LOCALE_FORMAT: Intl.DateTimeFormatOptions = {
  ...{ dateStyle: 'full', timeStyle: 'short' },
  ...{ calendar: 'gregory', numberingSystem: 'latn' },
};
const UNAMBIGUOUS_FORMAT: Intl.DateTimeFormatOptions = {
  ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
};

const formatCache = new Map<string, Intl.DateTimeFormat>();
/**
 * Maximum number of cached formats. It exceeds the number of combinations of locale and time zone in use. Each format
 * takes a few kilobytes.
 */
const MAX_CACHED_FORMATS = 1_000;

/** Formats are cached, because creating one takes longer than rendering the rest of a message. */
function getDateTimeFormat(locale: string, timeZone: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${style === UNAMBIGUOUS_FORMAT}`;
  const cached = formatCache.get(key);
  if (cached !== undefined) return cached;
  if (formatCache.size >= MAX_CACHED_FORMATS) formatCache.clear();
  const format = new Intl.DateTimeFormat(locale, { ...style, timeZone });
  formatCache.set(key, format);
  return format;
}

/** Removes the second full stop if a sentence ends with an abbreviation, such as "9:30 a.m." in Spanish. */
function withSingleFullStop(line: string): string {
  return line.replace(/\.\.$/, '.');
}
