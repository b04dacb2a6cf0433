import { raw, type RawQueryFragment } from '@mikro-orm/core';
import { sql, type RawBuilder } from 'kysely';
import type { RecipientKind } from '../domain/reminder-kinds.js';

/** Recipients of the same kind. */
export type Recipients = { kind: RecipientKind; ids: readonly number[] };

/** A filter for the reminders of recipients. */
type RecipientFilter = {
  clinicId: number;
  recipientKind: RecipientKind;
  recipientId: { $in: number[] };
} & ({ caregiverId: { $in: number[] } } | { sessionId: RawQueryFragment });

/**
 * Builds the filter for the reminders of recipients. Its last part follows from the others: PostgreSQL finds the rows
 * by it in an index, because no index contains the recipients of all reminders.
 */
export function toRecipientsFilter(clinicId: number, { kind, ids }: Recipients): RecipientFilter {
  const recipients = { clinicId, recipientKind: kind, recipientId: { $in: [...ids] } };
  if (kind === 'CARE_PROVIDER') return { ...recipients, caregiverId: { $in: [...ids] } };
  const sessions = 'any (select id from session where clinic_id = ? and client_id = any(?::bigint[]))';
  // MikroORM would write the elements of an array as separate values.
  return { ...recipients, sessionId: raw(sessions, [clinicId, `{${ids.join(',')}}`]) };
}

/** The same filter as a condition in SQL, which has few parameters even for thousands of recipients. */
export function toRecipientsSql(clinicId: number, { kind, ids }: Recipients): RawBuilder<unknown> {
  const anyId = sql`any(${[...ids]}::bigint[])`;
  const found =
    kind === 'CARE_PROVIDER'
      ? sql`caregiver_id = ${anyId}`
      : sql`session_id in (select id from session where clinic_id = ${clinicId} and client_id = ${anyId})`;
  return sql`clinic_id = ${clinicId} and recipient_kind = ${kind} and recipient_id = ${anyId} and ${found}`;
}
