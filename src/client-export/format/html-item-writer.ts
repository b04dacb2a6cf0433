import { escapeHtml } from '../../shared/http/index.js';
import type { ExportTranslator } from './export-text.js';

const INSTANT = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/**
 * Fields whose values are constants of the service and are replaced by texts. The values of all other fields are shown
 * unchanged.
 */
export const FIELDS_WITH_CONSTANTS = new Set([
  ...['status', 'reason', 'kind', 'recipientKind', 'what', 'actorRole', 'access', 'outcome', 'titles', 'channel'],
  ...['channels', 'optedOut', 'anchor'],
]);

/** The settings that the field `fallback` of a reminder's history lists, with the fields that have their labels. */
const LABELS_OF_SETTINGS: Readonly<Record<string, string>> = { TIME_ZONE: 'timeZone', LOCALE: 'locale' };

/**
 * Writes the items of any section as HTML lists of names and values. A new field of an item appears without a change
 * here.
 */
export class HtmlItemWriter {
  constructor(private readonly text: ExportTranslator) {}

  writeItem(item: object): string {
    return `<section>${this.writeFields(item)}</section>`;
  }

  private writeFields(item: object): string {
    const members = Object.entries(item).filter(([, value]) => !isEmpty(value));
    const rows = members.map(
      ([name, value]) => `<dt>${escapeHtml(this.text.getLabel(name))}</dt><dd>${this.writeValue(name, value)}</dd>`,
    );
    return `<dl>${rows.join('')}</dl>`;
  }

  private writeValue(name: string, value: unknown): string {
    if (Array.isArray(value)) return this.writeList(name, value);
    if (typeof value === 'object' && value !== null) return this.writeFields(value);
    if (typeof value === 'boolean') return escapeHtml(this.text.getWord(value ? 'yes' : 'no'));
    if (typeof value !== 'string') return escapeHtml(String(value));
    if (name === 'fallback') return this.writeSettings(value);
    if (FIELDS_WITH_CONSTANTS.has(name)) return escapeHtml(this.text.getConstant(value));
    if (INSTANT.test(value)) return this.text.writeInstant(value);
    // `<bdi>` isolates the text, which can contain characters that change the writing direction of what follows.
    return `<bdi>${escapeHtml(value)}</bdi>`;
  }

  private writeSettings(list: string): string {
    const labels = list.split(', ').map((setting) => this.text.getLabel(LABELS_OF_SETTINGS[setting] ?? setting));
    return escapeHtml(labels.join(', '));
  }

  private writeList(name: string, values: readonly unknown[]): string {
    return `<ul>${values.map((value) => `<li>${this.writeValue(name, value)}</li>`).join('')}</ul>`;
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
