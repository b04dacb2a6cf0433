import { escapeHtml } from '../../../shared/http/index.js';

/** HTML or SVG text that `markup` inserts without escaping it again. */
export class Markup {
  constructor(readonly text: string) {}
}

type Value = Markup | readonly Markup[] | string | number;

/** A template tag for HTML and SVG. Escapes all values except `Markup`. */
export function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...values.map(toMarkupText)));
}

function toMarkupText(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(Math.round(value * 10) / 10);
  return value.map(({ text }) => text).join('\n');
}
