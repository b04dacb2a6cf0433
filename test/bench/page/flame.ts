import { markup, type Markup } from '../../../src/cli/simulate/page/markup.js';
import type { FlameNode } from '../run/profile.js';
import type { FlameGraph } from '../run/section.js';

const WIDTH = 1120;
const ROW = 15;
const CHARACTER = 5.6;
const MOST_ROWS = 60;
/** Colours of frames by origin: the service, Node, or a package. Frames of all other packages share one colour. */
const COLOURS: Readonly<Record<string, string>> = {
  'the service itself': 'product',
  Node: 'yardstick',
  V8: 'yardstick',
  pg: 'pgbench',
  'pg-protocol': 'pgbench',
};

/** Renders a flame graph. Callers are drawn above their callees, and widths show shares of the CPU time. */
export function renderFlame({ title, root }: FlameGraph): Markup {
  const rows = Math.min(MOST_ROWS, depthOf(root));
  return markup`<svg class="flame" viewBox="0 0 ${WIDTH} ${rows * ROW}" role="img" aria-label="${title}">${draw(root, 0, 0)}</svg>`;
}

function draw({ name, of, share, children }: FlameNode, left: number, row: number): Markup {
  const width = share * WIDTH;
  let at = left;
  const below = (row + 1 < MOST_ROWS ? children : []).map((child) => {
    const drawn = draw(child, at, row + 1);
    at += child.share * WIDTH;
    return drawn;
  });
  const room = Math.floor(width / CHARACTER) - 1;
  const label =
    room < 4 ? markup`` : markup`<text x="${tenth(left) + 2}" y="${row * ROW + 11}">${name.slice(0, room)}</text>`;
  return markup`<g><title>${name}: ${(share * 100).toFixed(1)} %</title><rect class="${COLOURS[of] ?? 'common'}" x="${tenth(left)}" y="${row * ROW}" width="${tenth(width)}" height="${ROW - 1}"/>${label}</g>${below}`;
}

function depthOf({ children }: FlameNode): number {
  return 1 + Math.max(0, ...children.map(depthOf));
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
