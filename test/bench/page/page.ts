import { markup, Markup } from '../../../src/cli/simulate/page/markup.js';
import type { Machine } from '../run/machine.js';
import type { BenchOptions } from '../run/options.js';
import type { Chart, ReportSection, RequirementVerdict } from '../run/section.js';
import { COMMON_VARIANT, PRODUCT_VARIANT, YARDSTICK_VARIANT } from '../run/server.js';
import { renderBars } from './bars.js';
import { renderFlame } from './flame.js';
import { renderLine } from './line.js';
import { PAGE_STYLE } from './style.js';

export type Report = {
  machine: Machine;
  database: Record<string, string>;
  options: BenchOptions;
  differences: readonly { variant: string; text: string }[];
  sections: readonly ReportSection[];
};

/** Renders a self-contained HTML page, which loads nothing and has no scripts. */
export function renderPage({ machine, database, options, differences, sections }: Report): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>How fast: the product beside its yardstick</title>
<style>${new Markup(PAGE_STYLE)}</style>
</head>
<body>
<main>
<h1>How fast: the product beside its yardstick</h1>
<p class="lead">Only ratios within this run carry over to another day or machine. Figures are medians; the dark line across a bar is from the least to the largest.</p>
${bounds(sections.flatMap(({ verdicts }) => verdicts))}
${sections.map(renderSection)}
<section><h2>What differs between the variants</h2>
${differences.map(({ variant, text }) => markup`<p class="note"><strong>${variant}.</strong> ${text}</p>`)}
</section>
<section><h2>Machine and settings</h2>
${list({ ...machine })}${list(database)}${list(settingsOf(options))}
</section>
</main>
</body>
</html>
`.text;
}

function bounds(verdicts: readonly RequirementVerdict[]): Markup {
  if (verdicts.length === 0) return markup``;
  const rows = verdicts.map(
    ({ what, found, bound, holds }) =>
      markup`<tr><td class="text">${what}</td><td>${found}</td><td>${bound}</td><td class="${holds ? 'holds' : 'fails'}">${holds ? 'holds' : 'does not'}</td></tr>`,
  );
  const kept = verdicts.filter(({ holds }) => holds).length;
  return markup`<section><h2>Bounds: ${kept} of ${verdicts.length} hold</h2>
<div class="scroll"><table class="bounds"><tbody>${rows}</tbody></table></div></section>`;
}

function renderSection({ name, title, header, rows, charts, notes }: ReportSection): Markup {
  const drawn = charts
    .filter((chart) => !isEmpty(chart))
    .map((chart) => markup`<figure class="of-${chart.kind}"><h3>${chart.title}</h3>${renderChart(chart)}</figure>`);
  return markup`<section><h2>${title}</h2>
${name === 'throughput' ? legend() : markup``}
${notes.map((note) => markup`<p class="note">${note}</p>`)}
<div class="charts">${drawn}</div>
${table(header, rows)}</section>`;
}

function isEmpty(chart: Chart): boolean {
  if (chart.kind === 'flame') return false;
  return (chart.kind === 'bars' ? chart.groups : chart.points).length === 0;
}

function renderChart(chart: Chart): Markup {
  switch (chart.kind) {
    case 'bars':
      return renderBars(chart);
    case 'line':
      return renderLine(chart);
    case 'flame':
      return renderFlame(chart);
  }
}

function legend(): Markup {
  const items = [PRODUCT_VARIANT, YARDSTICK_VARIANT, COMMON_VARIANT].map(
    ({ name, title }) => markup`<li><i style="background: var(--${name})"></i>${title}</li>`,
  );
  return markup`<ul class="legend">${items}</ul>`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): Markup {
  if (rows.length === 0) return markup``;
  const isText = header.map((_, column) => rows.every((row) => !/^[\d(–-]/.test(row[column] ?? '')));
  const kind = (column: number) => (isText[column] ? 'text' : 'number');
  const body = rows.map(
    (row) =>
      markup`<tr>${header.map((_, column) => markup`<td class="${kind(column)}">${row[column] ?? ''}</td>`)}</tr>`,
  );
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Figures"><table>
<thead><tr>${header.map((name, column) => markup`<th class="${kind(column)}">${name}</th>`)}</tr></thead>
<tbody>${body}</tbody></table></div>`;
}

function settingsOf({ parts, rounds, seconds, sessions }: BenchOptions): Record<string, string | number> {
  return { parts: parts.join(', '), rounds, 'seconds each': seconds, 'Sessions before': sessions };
}

function list(items: Record<string, string | number | boolean>): Markup {
  return markup`<dl>${Object.entries(items).map(([name, value]) => markup`<dt>${name}</dt><dd>${String(value)}</dd>`)}</dl>`;
}
