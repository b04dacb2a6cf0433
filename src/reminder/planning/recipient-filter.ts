import { raw, type RawQueryFragment } from '@mikro-orm/core';
import type { Recipient, RecipientKind } from '../domain/reminder-kinds.js';

/** A filter for the reminders of one recipient. */
export type RecipientFilter = {
  clinicId: number;
  recipientKind: RecipientKind;
  recipientId: number;
} & ({ caregiverId: number } | { sessionId: RawQueryFragment });

/**
 * Builds the filter for the reminders of a recipient. Its last part follows from the others: PostgreSQL finds the rows
 * by it in an index, because no index contains the recipients of all reminders.
 */
export function toRecipientFilter(clinicId: number, { kind, id }: Recipient): RecipientFilter {
  const recipient = { clinicId, recipientKind: kind, recipientId: id };
  if (kind === 'CARE_PROVIDER') return { ...recipient, caregiverId: id };
  const sessions = 'any (select id from session where clinic_id = ? and client_id = ?)';
  return { ...recipient, sessionId: raw(sessions, [clinicId, id]) };
}
