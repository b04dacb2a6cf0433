import type { MedianAndRange } from './statistics.js';
import type { ReportSection } from './section.js';

/** Renders all results as text. */
export function renderText(sections: readonly ReportSection[]): string {
  return [...sections.map(renderSection), renderVerdicts(sections)].filter(Boolean).join('\n\n');
}

function renderSection({ title, header, rows, notes }: ReportSection): string {
  return [title, '', ...aligned([header, ...rows]), ...notes.map((note) => `  ${note}`)].join('\n');
}

function renderVerdicts(sections: readonly ReportSection[]): string {
  const rows = sections.flatMap(({ verdicts }) =>
    verdicts.map(({ what, found, bound, holds }) => [what, holds ? 'holds' : 'DOES NOT HOLD', found, bound]),
  );
  return rows.length === 0 ? '' : ['Bounds', '', ...aligned(rows)].join('\n');
}

export function formatRatio(figure: MedianAndRange, base: MedianAndRange | undefined): string {
  return base === undefined ? '' : (figure.median / base.median).toFixed(2);
}

export function formatSpread({ low, high }: MedianAndRange): string {
  return `(${formatRounded(low)}–${formatRounded(high)})`;
}

export function formatRounded(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function formatTenths(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

/** Aligns names to the left and figures to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const cell = (text: string, column: number) =>
    column < 2 && !/^[\d(]/.test(text) ? text.padEnd(widths[column]!) : text.padStart(widths[column]!);
  return rows.map((row) => row.map(cell).join('  ').trimEnd());
}
