export const NDJSON_MEDIA_TYPE = 'application/x-ndjson';

/**
 * Chooses the media type of a response by the `Accept` header (RFC 9110, section 12.5.1): the offered type with the
 * highest quality, or the first one of several. If the header is malformed or accepts no offered type, the first type
 * is used, because the RFC allows a server to disregard the header.
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

/** Maximum length of the header. Longer headers are cut off; browsers send about 150 characters. */
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

/** Returns the quality of a media type from the most specific range that matches it. */
function findQuality(type: string, ranges: readonly MediaRange[]): number {
  const candidates = [type, `${type.split('/')[0]!}/*`, '*/*'];
  for (const candidate of candidates) {
    const found = ranges.find(({ range }) => range === candidate);
    if (found !== undefined) return found.quality;
  }
  return 0;
}
