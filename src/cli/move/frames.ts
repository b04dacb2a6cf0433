/*
 * The content of a move: a sequence of frames, each with a JSON document or with rows in COPY format. A frame begins with
 * its kind and length, so that frames can be read one after the other.
 */

/** A part of the content of a move: a JSON document, or rows in COPY format. */
export type MoveFrame = { kind: 'json'; value: unknown } | { kind: 'rows'; rows: Buffer };

const HEADER_BYTES = 5;
const [JSON_KIND, ROWS_KIND] = [1, 2];
/**
 * Maximum length of a frame. Longer frames are damaged, because `encodeRowsFrame` gets the rows in small chunks from
 * PostgreSQL.
 */
const MAX_BYTES = 2 ** 30;

/** The content of a move is damaged or ends within a frame. */
class DamagedFrameError extends Error {}

export function encodeJsonFrame(value: unknown): Buffer {
  return encode(JSON_KIND, Buffer.from(JSON.stringify(value)));
}

export function encodeRowsFrame(rows: Buffer): Buffer {
  return encode(ROWS_KIND, rows);
}

function encode(kind: number, content: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(kind);
  header.writeUInt32BE(content.length, 1);
  return Buffer.concat([header, content]);
}

/** @throws DamagedFrameError if the content is damaged or ends within a frame */
export async function* decodeFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<MoveFrame, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let needed = HEADER_BYTES;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length < needed) continue;
    let content = Buffer.concat(parts);
    for (needed = findEnd(content); content.length >= needed; needed = findEnd(content)) {
      yield decode(content.subarray(0, needed));
      content = content.subarray(needed);
    }
    parts = [content];
    length = content.length;
  }
  if (length > 0) throw new DamagedFrameError('The content ends within a frame.');
}

/** Returns the number of bytes of the first frame, or of its header if the header is still incomplete. */
function findEnd(content: Buffer): number {
  if (content.length < HEADER_BYTES) return HEADER_BYTES;
  const bytes = content.readUInt32BE(1);
  if (bytes > MAX_BYTES) throw new DamagedFrameError('A frame is too long.');
  return HEADER_BYTES + bytes;
}

function decode(frame: Buffer): MoveFrame {
  const content = frame.subarray(HEADER_BYTES);
  const kind = frame[0];
  if (kind === ROWS_KIND) return { kind: 'rows', rows: content };
  if (kind !== JSON_KIND) throw new DamagedFrameError('A frame has an unknown kind.');
  return { kind: 'json', value: JSON.parse(content.toString()) as unknown };
}
