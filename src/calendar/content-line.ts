const LINE_BREAK = '\r\n';
/** The maximum length of a line in bytes of UTF-8 (RFC 5545, section 3.1), without the space that begins a continuation. */
const MAX_BYTES = 74;

/**
 * Folds the lines of an iCalendar text. The result is that of ical-generator, which takes a hundred times as long: it
 * encodes each character separately, and a feed has millions.
 */
export function foldContentLines(text: string): string {
  return text
    .split(LINE_BREAK)
    .map((line) => foldContentLine(line))
    .join(LINE_BREAK);
}

function foldContentLine(line: string): string {
  // No character has more than three bytes for each of its UTF-16 code units.
  if (line.length * 3 <= MAX_BYTES) return line;
  const parts: string[] = [];
  let [start, bytes] = [0, 0];
  for (let index = 0; index < line.length;) {
    const codePoint = line.codePointAt(index)!;
    const size = countBytes(codePoint);
    bytes += size;
    if (bytes > MAX_BYTES) {
      parts.push(line.slice(start, index));
      [start, bytes] = [index, size];
    }
    index += codePoint > 0xff_ff ? 2 : 1;
  }
  parts.push(line.slice(start));
  return parts.join(`${LINE_BREAK} `);
}

function countBytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x8_00) return 2;
  return codePoint > 0xff_ff ? 4 : 3;
}
