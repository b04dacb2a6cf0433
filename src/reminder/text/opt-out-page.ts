import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../shared/http/index.js';
import { fillTemplate } from './fill-template.js';

/** The kinds of reminders that a link ends, as in its path. */
type LinkKinds = 'session' | 'homework' | 'all';

/**
 * The states of the page: before and after the opt-out, with a link that does not work, and after a failure that may be
 * temporary.
 */
type OptOutPageState = { kinds: string; isOptedOut: boolean } | 'EXPIRED' | 'FAILED';

type Texts = Record<LinkKinds | 'title' | 'question' | 'button' | 'done' | 'undo' | 'expired' | 'failed', string>;

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const TEXTS = new Map(Object.entries(JSON.parse(read('opt-out-page.json')) as Record<string, Texts>));
const HTML_TEMPLATE = read('opt-out-page.html');

/** Maximum length of the header. Longer headers are cut off; browsers send less than 100 characters. */
const MAX_HEADER_LENGTH = 500;

/**
 * Renders the page behind an opt-out link, in the language that the browser prefers. The page must not show anything
 * about the recipient, because other people may open the link.
 */
export function renderOptOutPage(state: OptOutPageState, acceptLanguage: string | undefined): string {
  const language = chooseLanguage(acceptLanguage);
  const texts = TEXTS.get(language)!;
  return fillTemplate(HTML_TEMPLATE, {
    language,
    title: escapeHtml(texts.title),
    content: renderContent(state, texts),
  });
}

function renderContent(state: OptOutPageState, texts: Texts): string {
  const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;
  if (state === 'EXPIRED') return paragraph(texts.expired);
  if (state === 'FAILED') return paragraph(texts.failed);
  const about = paragraph(texts[state.kinds as LinkKinds]);
  if (state.isOptedOut) return about + paragraph(texts.done) + paragraph(texts.undo);
  const button = `<form method="post"><button>${escapeHtml(texts.button)}</button></form>`;
  return about + paragraph(texts.question) + button;
}

/** Chooses a language by the `Accept-Language` header (RFC 9110, section 12.5.4), or English. */
function chooseLanguage(header = ''): string {
  const preferred = header
    .slice(0, MAX_HEADER_LENGTH)
    .toLowerCase()
    .split(',')
    .map((range) => ({
      language: range.trim().split(/[-;]/)[0]!,
      quality: Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1),
    }))
    .filter(({ language, quality }) => TEXTS.has(language) && quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  return preferred[0]?.language ?? 'en';
}
