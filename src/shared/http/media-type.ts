/**
 * Chooses the media type of an answer by the `Accept` header (RFC 9110, section 12.5.1): the one with the highest quality,
 * and the first of several. If the header accepts none, or is malformed, returns the first: the RFC allows to disregard
 * the header, as all other operations do.
 *
 * @param offered media types without parameters, the preferred one first
 */
export function chooseMediaType<Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  const ranges = (accept ?? '').slice(0, MAX_LENGTH).split(',').map(parseRange);
  const [best] = offered
    .map((type) => ({ type, quality: findQuality(type, ranges) }))
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality);
  return best?.type ?? offered[0];
}

/** Longer headers are cut off. Browsers send about 150 characters. */
const MAX_LENGTH = 1_000;

type MediaRange = { range: string; quality: number };

function parseRange(text: string): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { range, quality: quality === undefined ? 1 : toQuality(quality) };
}

function toQuality(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

/** The most specific range counts. */
function findQuality(type: string, ranges: readonly MediaRange[]): number {
  const candidates = [type, `${type.split('/')[0]!}/*`, '*/*'];
  for (const candidate of candidates) {
    const found = ranges.find(({ range }) => range === candidate);
    if (found !== undefined) return found.quality;
  }
  return 0;
}
