import { sql, type RawBuilder } from 'kysely';
import { rowsOfClinic, rowsOfOwner, type RowsToErase } from '../../shared/erasure/index.js';
import { ALL_QUEUE_NAMES } from '../queue/queue-names.js';

const ofOwnerOfPreference = rowsOfOwner('owner_kind', 'owner_id');

/** The rows of this module that an erasure deletes, except reminders, which are deleted with the Sessions. */
export const RECIPIENT_ROWS_TO_ERASE: readonly RowsToErase[] = [
  { table: 'reminder_replanning', CLINIC: rowsOfClinic },
  {
    countedAs: 'preferences',
    table: 'reminder_preference',
    CLIENT: ofOwnerOfPreference,
    CARE_PROVIDER: ofOwnerOfPreference,
    CLINIC: rowsOfClinic,
  },
  {
    countedAs: 'optOutLinks',
    table: 'opt_out_link',
    CLIENT: ofOwnerOfPreference,
    CARE_PROVIDER: ofOwnerOfPreference,
    CLINIC: rowsOfClinic,
  },
];

/**
 * Builds the statement that deletes the jobs of messages whose reminders are erased. A job is kept if its message also
 * contains queued reminders that are not erased, as in a message to a Care Provider about several Clients.
 *
 * @param ownReminders the condition on the erased reminders of the Clinic, with the alias `t`
 */
export function deleteQueueJobsSql(clinicId: number, ownReminders: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    delete from pgboss.job where name in (${sql.join(ALL_QUEUE_NAMES)}) and data->>'messageId' in (
      select message_id::text from reminder t where message_id is not null and ${ownReminders}
      except
      select message_id::text from reminder t where t.clinic_id = ${clinicId} and message_id is not null
        and status = 'QUEUED' and (${ownReminders}) is not true)`;
}
