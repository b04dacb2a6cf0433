import type { Readable } from 'node:stream';

const recordsByStream = new WeakMap<object, object>();

/**
 * Stores which records a streamed response is about. The audit entry is written before the stream is read, so the
 * records cannot be found in the response itself.
 *
 * @param references fields that refer to records, for example `{ clientId: 12 }`
 */
export function setStreamedRecordReferences(stream: Readable, references: Readonly<Record<string, number>>): Readable {
  recordsByStream.set(stream, references);
  return stream;
}

/** Returns the stored references of a streamed response, or undefined for any other response. */
export function findStreamedRecordReferences(answer: unknown): object | undefined {
  return answer instanceof Object ? recordsByStream.get(answer) : undefined;
}
