import { markup, type Markup } from '../../../src/cli/simulate/page/markup.js';
import type { LineChart } from '../run/section.js';
import { formatNumber } from './numbers.js';

const WIDTH = 340;
const HEIGHT = 190;
const LEFT = 44;
const BOTTOM = 32;
const TOP = 12;
const STEPS = 4;

/** Renders a line chart over time. Both axes start at 0. */
export function renderLine({ title, unit, xTitle, points }: LineChart): Markup {
  const [mostX, mostY] = [Math.max(...points.map(({ x }) => x)), roundUp(Math.max(...points.map(({ y }) => y)))];
  const x = (value: number) => LEFT + (value / mostX) * (WIDTH - LEFT - 8);
  const y = (value: number) => TOP + (1 - value / mostY) * (HEIGHT - TOP - BOTTOM);
  const steps = Array.from({ length: STEPS + 1 }, (_, step) => step / STEPS);
  const path = points.map((point, index) => `${index === 0 ? 'M' : 'L'}${tenth(x(point.x))} ${tenth(y(point.y))}`);
  return markup`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
${steps.map((step) => markup`<path class="grid" d="M${LEFT} ${y(step * mostY)}H${WIDTH - 8}"/><text class="name" x="${LEFT - 6}" y="${y(step * mostY) + 4}">${formatNumber(step * mostY)}</text>`)}
${steps.map((step) => markup`<text class="tick" x="${x(step * mostX)}" y="${HEIGHT - 16}">${formatNumber(step * mostX)}</text>`)}
<text class="tick" x="${(LEFT + WIDTH) / 2}" y="${HEIGHT - 2}">${xTitle}, ${unit} upwards</text>
<path class="line" d="${path.join('')}"/></svg>`;
}

function roundUp(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / step) * step;
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
