/**
 * Properties of the functions that delete from the audit trail. They run as the owner of the tables, and set the
 * variable with which the triggers of the audit trail allow a deletion.
 */
export const AUDIT_FUNCTION = `
        language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC'
        set app.audit_retiring = 'on'`;

/** Whether a seal has an entry of a month that was over for the entries sealed before it. */
export const STRADDLING = `
  date_trunc('month', first_at at time zone 'UTC') <> date_trunc('month', last_at at time zone 'UTC')`;

/** Key of the advisory lock that lets only one transaction retire entries at a time. */
export const RETIRE_LOCK = 4_711_2028;
