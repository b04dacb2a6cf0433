import { markup, type Markup } from '../../../src/cli/simulate/page/markup.js';
import type { ChartBar, BarChart } from '../run/section.js';
import { formatNumber } from './numbers.js';

/* The width of a narrow phone. The chart is never scaled down, so its text stays readable. */

const WIDTH = 340;
const NAMES = 108;
const FIGURES = 62;
const SPACE = WIDTH - NAMES - FIGURES;
const ROW = 20;
const HEAD = 24;
const GAP = 8;
/** Names whose bars have a colour of their own. All other bars have the first colour. */
const COLOURED = ['product', 'yardstick', 'common', 'pgbench', 'pg-boss'];

/**
 * Renders a bar chart with groups below each other. A line at the end of each bar shows its lowest and highest value.
 */
export function renderBars({ title, unit, scale, groups }: BarChart): Markup {
  const widest = Math.max(...groups.flatMap(({ bars }) => bars.map(reach)));
  let top = 0;
  const drawn = groups.map(({ name, bars }) => {
    const y = top;
    top += HEAD + bars.length * ROW + GAP;
    const full = scale === 'own' ? Math.max(...bars.map(reach)) : widest;
    const rows = bars.map((bar, index) => renderBar(bar, y + HEAD + index * ROW, full, unit));
    return markup`<text class="group" x="0" y="${y + 15}">${name}</text>${rows}`;
  });
  return markup`<svg viewBox="0 0 ${WIDTH} ${top}" role="img" aria-label="${title}">${drawn}</svg>`;
}

function renderBar({ name, figure, bound }: ChartBar, y: number, full: number, unit: string): Markup {
  const at = (value: number) => NAMES + (full === 0 ? 0 : (value / full) * SPACE);
  const middle = y + ROW / 2;
  const spread =
    figure.low === figure.high
      ? markup``
      : markup`<path class="spread" d="M${at(figure.low)} ${middle}H${at(figure.high)}"/>`;
  const mark = bound === undefined ? markup`` : markup`<path class="bound" d="M${at(bound)} ${y + 1}v${ROW - 2}"/>`;
  const colour = COLOURED.find((each) => name.startsWith(each)) ?? 'product';
  const told = `${name}: ${formatNumber(figure.median)} ${unit}, ${formatNumber(figure.low)} to ${formatNumber(figure.high)}`;
  return markup`<g><title>${told}</title>
<text class="name" x="${NAMES - 6}" y="${middle + 4}">${name}</text>
<rect class="bar ${colour}" x="${NAMES}" y="${y + 3}" width="${at(figure.median) - NAMES}" height="${ROW - 6}" rx="2"/>
${spread}${mark}
<text class="figure" x="${WIDTH}" y="${middle + 4}">${formatNumber(figure.median)} ${unit}</text></g>`;
}

function reach({ figure, bound = 0 }: ChartBar): number {
  return Math.max(figure.high, figure.median, bound);
}
