import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../shared/http/index.js';
import { fillTemplate } from './fill-template.js';

/** The text of a message in one language. */
export type MessageText = {
  subject: string;
  plain: string;
  /** The title of the calendar event in an e-mail. It reveals nothing. */
  eventTitle: string;
  /** The text before the opt-out link. */
  optOut: string;
  /** @param optOutUrl null in a message without an opt-out link */
  html: (optOutUrl: string | null) => string;
};

/**
 * One line of a message. Titles are present only if the Clinic allows them in messages. ERASED: the Session was cancelled
 * because its Client was erased.
 */
export type MessageTextItem =
  | {
      kind: 'SESSION';
      sessionId: number;
      startsAt: Temporal.Instant;
      isOver: boolean;
      /** Whether earlier messages have told the recipient another start. */
      isMoved: boolean;
      sessionTitle?: string;
    }
  | { kind: 'HOMEWORK'; bookTitle?: string }
  | { kind: 'ERASED'; startsAt: Temporal.Instant; sessionId: number };

type MessageTemplates = Record<
  | 'subject'
  | 'subjectErased'
  | 'greeting'
  | 'session'
  | 'sessionMoved'
  | 'sessionOver'
  | 'sessionErased'
  | 'homework'
  | 'sessionTitled'
  | 'sessionTitledMoved'
  | 'homeworkTitled'
  | 'sameTime'
  | 'late'
  | 'zone'
  | 'eventTitle'
  | 'optOut'
  | 'optOutLink',
  string
>;

const LANGUAGES = ['en', 'de', 'es', 'fr'] as const;
const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const TEMPLATES = new Map(
  LANGUAGES.map((language) => [language as string, JSON.parse(read(`${language}.json`)) as MessageTemplates]),
);
const HTML_TEMPLATE = read('message.html');
const HTML_FOOTER_TEMPLATE = read('opt-out-footer.html');

/** Renders a message in the language of `locale`, or in English if there is no translation. */
export function renderMessageText(
  items: readonly MessageTextItem[],
  { locale, timeZone, late }: { locale: string | null; timeZone: string; late: boolean },
): MessageText {
  const language = new Intl.Locale(locale ?? 'en').language;
  const templates = TEMPLATES.get(language) ?? TEMPLATES.get('en')!;
  // If there is a translation, dates follow the full locale, including its region.
  const dateLocale = TEMPLATES.has(language) ? (locale ?? 'en') : 'en';
  const itemsByLine = Map.groupBy(items, (item) =>
    withSingleFullStop(renderItem(item, templates, dateLocale, timeZone)),
  );
  const lines = [...itemsByLine].map(([line, ofLine]) => addCount(line, countSessions(ofLine), templates.sameTime));
  const paragraphs = [
    templates.greeting,
    ...(late ? [templates.late] : []),
    ...lines,
    ...(items.some(({ kind }) => kind !== 'HOMEWORK') ? [fillTemplate(templates.zone, { zone: timeZone })] : []),
  ];
  const subject = items.some(({ kind }) => kind === 'ERASED') ? templates.subjectErased : templates.subject;
  const html = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n      ');
  return {
    subject,
    plain: paragraphs.join('\n\n'),
    eventTitle: templates.eventTitle,
    optOut: templates.optOut,
    html: (optOutUrl) =>
      fillTemplate(HTML_TEMPLATE, {
        language: TEMPLATES.has(language) ? language : 'en',
        subject: escapeHtml(subject),
        paragraphs: html,
        footer: optOutUrl === null ? '' : renderFooter(templates, optOutUrl),
      }),
  };
}

/** The appointments of a Care Provider can overlap, and without titles their lines are the same. */
function addCount(line: string, sessionCount: number, template: string): string {
  return sessionCount > 1 ? `${line} ${fillTemplate(template, { count: String(sessionCount) })}` : line;
}

function countSessions(items: readonly MessageTextItem[]): number {
  return new Set(items.flatMap((item) => (item.kind === 'SESSION' ? [item.sessionId] : []))).size;
}

function renderFooter({ optOut, optOutLink }: MessageTemplates, optOutUrl: string): string {
  return fillTemplate(HTML_FOOTER_TEMPLATE, {
    optOut: escapeHtml(optOut),
    optOutLink: escapeHtml(optOutLink),
    optOutUrl: escapeHtml(optOutUrl),
  });
}

function renderItem(item: MessageTextItem, templates: MessageTemplates, dateLocale: string, timeZone: string): string {
  const format = (startsAt: Temporal.Instant) => formatDateTime(startsAt, dateLocale, timeZone);
  switch (item.kind) {
    case 'ERASED':
      return fillTemplate(templates.sessionErased, { id: String(item.sessionId), when: format(item.startsAt) });
    case 'HOMEWORK': {
      const { bookTitle: book } = item;
      return book === undefined ? templates.homework : fillTemplate(templates.homeworkTitled, { book });
    }
    case 'SESSION': {
      const { sessionTitle: title, isOver, isMoved } = item;
      const when = format(item.startsAt);
      if (title !== undefined)
        return fillTemplate(isMoved ? templates.sessionTitledMoved : templates.sessionTitled, { title, when });
      return fillTemplate(isMoved ? templates.sessionMoved : isOver ? templates.sessionOver : templates.session, {
        when,
      });
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
