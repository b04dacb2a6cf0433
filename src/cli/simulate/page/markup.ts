/** Text that is markup already. */
export class Markup {
  constructor(readonly text: string) {}
}

type Value = Markup | readonly Markup[] | string | number;

/** HTML or SVG in which everything that is filled in is escaped, unless it is markup itself. */
export function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...values.map(toMarkupText)));
}

function toMarkupText(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(Math.round(value * 10) / 10);
  return value.map(({ text }) => text).join('\n');
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)!};`);
}
