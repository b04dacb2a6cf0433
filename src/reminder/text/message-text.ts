import { readFileSync } from 'node:fs';

/** What a message says, in one language. */
export type MessageText = {
  subject: string;
  plain: string;
  /** The words before the opt-out link. */
  optOut: string;
  html: (optOutUrl: string) => string;
};

/** One line of a message. Titles are only there when the Clinic lets messages reveal what they are about. */
export type TextItem = {
  kind: 'SESSION' | 'HOMEWORK';
  startsAt: Temporal.Instant;
  isOver: boolean;
  sessionTitle?: string;
  bookTitle?: string;
};

type Words = Record<
  | 'subject'
  | 'greeting'
  | 'session'
  | 'sessionOver'
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
const WORDS = new Map(LANGUAGES.map((language) => [language as string, JSON.parse(read(`${language}.json`)) as Words]));
const HTML = read('message.html');

/** The words of a message; a language that is not there falls back to English. */
export function messageText(
  items: readonly TextItem[],
  { locale, timeZone, late }: { locale: string | null; timeZone: string; late: boolean },
): MessageText {
  const language = new Intl.Locale(locale ?? 'en').language;
  const words = WORDS.get(language) ?? WORDS.get('en')!;
  // The region tells how dates are written, where the language is one of ours; it is never guessed.
  const dates = WORDS.has(language) ? (locale ?? 'en') : 'en';
  const lines = [...new Set(items.map((item) => sentence(lineOf(item, words, dates, timeZone))))];
  const paragraphs = [words.greeting, ...(late ? [words.late] : []), ...lines, fill(words.zone, { zone: timeZone })];
  const html = paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`).join('\n      ');
  return {
    subject: words.subject,
    plain: paragraphs.join('\n\n'),
    optOut: words.optOut,
    html: (optOutUrl) =>
      fill(HTML, {
        language: WORDS.has(language) ? language : 'en',
        subject: escaped(words.subject),
        paragraphs: html,
        optOut: escaped(words.optOut),
        optOutUrl: escaped(optOutUrl),
      }),
  };
}

function lineOf(item: TextItem, words: Words, dates: string, timeZone: string): string {
  const { sessionTitle: title, bookTitle: book } = item;
  if (item.kind === 'HOMEWORK') return book === undefined ? words.homework : fill(words.homeworkTitled, { book });
  const when = inWords(item.startsAt, dates, timeZone);
  if (title !== undefined) return fill(words.sessionTitled, { title, when });
  return fill(item.isOver ? words.sessionOver : words.session, { when });
}

/** English without a region is written so that neither a British nor an American reader takes it for another date. */
function inWords(instant: Temporal.Instant, locale: string, timeZone: string): string {
  const { language, region } = new Intl.Locale(locale);
  if (language !== 'en' || region !== undefined)
    return formatOf(locale, timeZone, LOCAL).format(instant.epochMilliseconds);
  const parts = formatOf('en-GB', timeZone, PLAIN).formatToParts(instant.epochMilliseconds);
  const { weekday, day, month, year, hour, minute } = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return `${weekday}, ${day} ${month} ${year}, ${hour}:${minute}`;
}

const LOCAL: Intl.DateTimeFormatOptions = { dateStyle: 'full', timeStyle: 'short' };
const PLAIN: Intl.DateTimeFormatOptions = {
  ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
};

const formats = new Map<string, Intl.DateTimeFormat>();
/** More locales and zones than a service has; each takes some kilobytes. */
const MOST_FORMATS = 1_000;

/** Kept, as making one takes longer than all the rest of a message. */
function formatOf(locale: string, timeZone: string, style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${style === PLAIN}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  if (formats.size >= MOST_FORMATS) formats.clear();
  const format = new Intl.DateTimeFormat(locale, { ...style, timeZone });
  formats.set(key, format);
  return format;
}

/** A sentence that ends with an abbreviation, as "9:30 a.m." does in Spanish, has one full stop. */
function sentence(line: string): string {
  return line.replace(/\.\.$/, '.');
}

/** Fills `{name}`; in one pass, so that what is filled in is not filled itself. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)!};`);
}
