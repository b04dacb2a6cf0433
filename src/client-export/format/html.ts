import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chooseTimeZone } from '../../directory/index.js';
import { escapeHtml } from '../../shared/http/index.js';
import type { ExportBatch, ExportHeader, ListSectionName, SingleObjectSectionName } from '../dto/client-export.js';
import { ExportTranslator } from './export-text.js';
import { HtmlItemWriter } from './html-item-writer.js';

const STYLE = readFileSync(new URL('export.css', import.meta.url), 'utf8');

/**
 * The Content-Security-Policy of the page. It allows only the page's own style sheet, so the browser runs and loads
 * nothing else. The page contains the policy, so it also applies to a saved file.
 */
export const EXPORT_PAGE_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Writes an export as one printable HTML page in the language of the Client. */
export async function* writeHtmlExport(
  header: ExportHeader,
  batches: AsyncIterable<ExportBatch>,
): AsyncGenerator<string> {
  const { client, clinic, exportedAt, preference } = header;
  const locale = client.locale ?? clinic.locale;
  const text = new ExportTranslator(locale, chooseTimeZone(client, clinic));
  const writer = new HtmlItemWriter(text);
  yield writeHead(text, exportedAt);
  yield writeHeading(text, 'client') + writer.writeItem(client);
  yield writeHeading(text, 'clinic') + writer.writeItem(clinic);
  yield writeHeading(text, 'preference') + writer.writeItem(preference);
  let current: string | undefined;
  let count = 0;
  const end = () => (count === 0 ? `<p class="none">${escapeHtml(text.getWord('none'))}</p>` : '');
  for await (const { section, items } of batches) {
    if (section !== current) {
      yield (current === undefined ? '' : end()) + writeHeading(text, section);
      [current, count] = [section, 0];
    }
    count += items.length;
    // Each item is written separately, because a single Design Plan can be a megabyte in size.
    for (const item of items) yield writer.writeItem(item);
  }
  yield `${end()}<footer><p>${escapeHtml(text.getWord('end'))}</p></footer></main></body></html>\n`;
}

function writeHead(text: ExportTranslator, exportedAt: string): string {
  const title = escapeHtml(text.getWord('title'));
  return (
    `<!doctype html><html lang="${text.language}"><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(EXPORT_PAGE_CSP)}">` +
    '<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>` +
    `<p>${escapeHtml(text.getWord('intro'))}</p><p>${text.writeInstant(exportedAt)}</p>`
  );
}

function writeHeading(text: ExportTranslator, section: SingleObjectSectionName | ListSectionName): string {
  return `<h2>${escapeHtml(text.getSection(section))}</h2>`;
}
