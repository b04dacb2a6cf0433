/** The median, the lowest and the highest value of several rounds. */
export type MedianAndRange = { median: number; low: number; high: number };

export function computeFigure(values: readonly number[]): MedianAndRange {
  return { median: quantile(values, 0.5), low: Math.min(...values), high: Math.max(...values) };
}

/** Computes a quantile by linear interpolation. Returns NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (place % 1);
}

/** The slope of a regression line, with its 95 % confidence interval. */
export type Slope = { perMinute: number; low: number; high: number };

/** Computes the slope by least squares, and its interval by Student's t-distribution. */
export function computeSlope(points: readonly { x: number; y: number }[]): Slope {
  const mean = (key: 'x' | 'y') => points.reduce((sum, point) => sum + point[key], 0) / points.length;
  const [x0, y0] = [mean('x'), mean('y')];
  const spread = points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0);
  const slope = points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0) / spread;
  const rest = points.reduce((sum, { x, y }) => sum + (y - y0 - slope * (x - x0)) ** 2, 0);
  const freedom = points.length - 2;
  const error = studentT(freedom) * Math.sqrt(rest / freedom / spread);
  return { perMinute: slope, low: slope - error, high: slope + error };
}

/**
 * Computes the 97.5 % quantile by the Cornish-Fisher expansion, which is accurate to 0.01 from 5 degrees of freedom.
 */
function studentT(freedom: number): number {
  const z = 1.959964;
  const [z3, z5] = [z ** 3, z ** 5];
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom ** 2);
}
