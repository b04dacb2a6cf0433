import { RequestContext } from '@mikro-orm/core';

type RecordReferences = Readonly<Record<string, number | readonly number[]>>;

const referencesByAnswer = new WeakMap<object, object>();
/** The references of a request, by its EntityManager. */
const changesByRequest = new WeakMap<object, RecordReferences[]>();

/**
 * Stores which records an answer is about that does not name them itself: a stream, which is read after the audit entry was
 * written, or a number of records.
 *
 * @param references fields that refer to records, for example `{ clientId: 12 }`
 */
export function setRecordReferences<Answer extends object>(answer: Answer, references: RecordReferences): Answer {
  referencesByAnswer.set(answer, references);
  return answer;
}

/** Returns the stored references of an answer, or undefined if there are none. */
export function findRecordReferences(answer: unknown): object | undefined {
  return answer instanceof Object ? referencesByAnswer.get(answer) : undefined;
}

/**
 * Stores records that the present request changes, and that neither its path nor its body or answer names: for example the
 * Sessions that are cancelled with the deactivation of their Client. Outside requests, this has no effect.
 */
export function addChangedRecords(references: RecordReferences): void {
  const request = RequestContext.getEntityManager();
  if (request === undefined) return;
  changesByRequest.set(request, [...(changesByRequest.get(request) ?? []), references]);
}

/** Returns the records that `addChangedRecords` has stored for the present request. */
export function listChangedRecords(): readonly object[] {
  const request = RequestContext.getEntityManager();
  return (request && changesByRequest.get(request)) ?? [];
}
