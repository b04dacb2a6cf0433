/** A figure of several rounds: the one in the middle, and the least and the largest. */
export type Figure = { median: number; low: number; high: number };

export function figureOf(values: readonly number[]): Figure {
  return { median: quantile(values, 0.5), low: Math.min(...values), high: Math.max(...values) };
}

/** By linear interpolation; NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (place % 1);
}
