/**
 * Builds an SQL condition: a preference belongs to the recipient of a reminder and opts out of its kind.
 * `ReminderPreference.excludes` is the same rule for a loaded preference. The condition does not consider notices, because
 * they belong to no Session. The query must compare the preference's `clinic_id` with a parameter, because Citus cannot
 * plan the query otherwise.
 *
 * @param preference the alias of the rows of `reminder_preference`
 * @param reminder the alias of rows with the columns of `reminder` that the condition names
 */
export function toOptOutMatch(preference: string, reminder: string): string {
  return `${preference}.owner_kind = ${reminder}.recipient_kind and ${preference}.owner_id = ${reminder}.recipient_id
    and ${preference}.opted_out @> jsonb_build_array(case when ${reminder}.homework_id is null then 'SESSION' else 'HOMEWORK' end)`;
}
