import { getRecordId, type Principal } from '../../shared/access/index.js';

/** The roles whose tokens name a directory record. */
export const ROLES_WITH_RECORD = ['CLINIC', 'CARE_PROVIDER', 'CLIENT'] as const;
export type RoleWithRecord = (typeof ROLES_WITH_RECORD)[number];

/** The holder of tokens: a subject, a directory record, or one subject with one record. */
export type TokenHolder =
  { subject: string; role: null; recordId: null } | { subject: string | null; role: RoleWithRecord; recordId: number };

/**
 * Returns the key of a holder for the list in memory. The key of a subject alone starts with a space and a role
 * contains none, so keys of different kinds are never equal.
 */
export function toHolderKey({ subject, role, recordId }: TokenHolder): string {
  if (role === null) return ` ${subject}`;
  return subject === null ? `${role} ${recordId}` : `${role} ${recordId} ${subject}`;
}

/** Returns the keys of all holders that a revocation of the principal's token can name. */
export function toHolderKeys(principal: Principal): readonly string[] {
  const { role, subject } = principal;
  const ofSubject = toSubjectKey(subject);
  if (role === 'ADMIN') return [ofSubject];
  const recordId = getRecordId(principal)!;
  return [ofSubject, toHolderKey({ subject: null, role, recordId }), toHolderKey({ subject, role, recordId })];
}

export function toSubjectKey(subject: string): string {
  return toHolderKey({ subject, role: null, recordId: null });
}
