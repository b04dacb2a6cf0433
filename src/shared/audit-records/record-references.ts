const referencesByAnswer = new WeakMap<object, object>();

/**
 * Stores which records an answer is about that does not name them itself: a stream, which is read after the audit entry was
 * written, or a number of records.
 *
 * @param references fields that refer to records, for example `{ clientId: 12 }`
 */
export function setRecordReferences<Answer extends object>(
  answer: Answer,
  references: Readonly<Record<string, number | readonly number[]>>,
): Answer {
  referencesByAnswer.set(answer, references);
  return answer;
}

/** Returns the stored references of an answer, or undefined if there are none. */
export function findRecordReferences(answer: unknown): object | undefined {
  return answer instanceof Object ? referencesByAnswer.get(answer) : undefined;
}
