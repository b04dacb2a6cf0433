import type { Readable } from 'node:stream';

const recordsByStream = new WeakMap<object, object>();

/**
 * Says which records a streamed answer is about. The audit entry is written before the stream is read, so it cannot name
 * the records by the answer itself.
 *
 * @param references fields that refer to records, for example `{ clientId: 12 }`
 */
export function nameStreamedRecords(stream: Readable, references: Readonly<Record<string, number>>): Readable {
  recordsByStream.set(stream, references);
  return stream;
}

/** Returns the references of a streamed answer, or undefined for any other answer. */
export function findStreamedRecords(answer: unknown): object | undefined {
  return answer instanceof Object ? recordsByStream.get(answer) : undefined;
}
