/**
 * Builds an SQL condition: the recipient of a reminder has opted out of its kind. `ReminderPreference.excludes` is the
 * same rule for a loaded preference. The condition does not consider notices, because they belong to no Session.
 *
 * @param reminder the alias of rows with the columns of `reminder` that the condition names
 */
export function toOptOutCondition(reminder: string): string {
  return `exists (
    select from reminder_preference p
    where p.clinic_id = ${reminder}.clinic_id
      and p.owner_kind = ${reminder}.recipient_kind and p.owner_id = ${reminder}.recipient_id
      and p.opted_out @> jsonb_build_array(case when ${reminder}.homework_id is null then 'SESSION' else 'HOMEWORK' end))`;
}
