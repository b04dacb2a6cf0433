import { sql } from 'kysely';
import {
  rowsOfClinic,
  rowsOfOwner,
  rowsOfPerson,
  type RowsToErase,
  type RowsCondition,
} from '../../shared/erasure/index.js';

/** Selects the rows that refer to a Session of the Client. */
const ofSessionsOfClient: RowsCondition = ({ clinicId, id }) => sql`
  t.clinic_id = ${clinicId} and t.session_id in (
    select s.id from session s where s.clinic_id = ${clinicId} and s.client_id = ${id})`;

/**
 * Selects the series of the Client. A series row does not name the Client, so the series are found through their
 * Sessions or, if these are already deleted, through the tombstones of the Sessions.
 */
const seriesOfClient: RowsCondition = ({ clinicId, id }) => sql`
  t.clinic_id = ${clinicId} and t.id in (
    select s.series_id from session s where s.clinic_id = ${clinicId} and s.client_id = ${id}
    union all
    select r.series_id from removed_session r where r.clinic_id = ${clinicId} and r.client_id = ${id})`;

/**
 * Sessions and all rows that belong to them. Synchronising clients learn of an erasure from tombstones: those of
 * Sessions are stored here, and those of homework by a trigger. The erasure of a Care Provider removes only the
 * reminders to them, because the Sessions belong to Clients.
 */
export const SESSION_ROWS_TO_ERASE: readonly RowsToErase[] = [
  {
    countedAs: 'reminders',
    table: 'reminder',
    CLIENT: ofSessionsOfClient,
    CARE_PROVIDER: rowsOfOwner('recipient_kind', 'recipient_id'),
    CLINIC: rowsOfClinic,
  },
  { countedAs: 'homework', table: 'homework', CLIENT: ofSessionsOfClient, CLINIC: rowsOfClinic },
  {
    countedAs: 'sessions',
    table: 'session',
    key: 'id',
    recordKind: 'session',
    CLIENT: ({ clinicId, id }) => sql`t.clinic_id = ${clinicId} and t.client_id = ${id}`,
    CLINIC: rowsOfClinic,
    keepTombstones: ({ rows, now }) => sql`
      insert into removed_session (clinic_id, session_id, series_id, caregiver_id, client_id, design_plan_id, version,
        series_version, removed_at)
      select clinic_id, id, series_id, caregiver_id, client_id, design_plan_id, version + 1,
        (select s.version from session_series s where s.clinic_id = t.clinic_id and s.id = t.series_id), ${now}
      from session t where ${rows}`,
  },
  { countedAs: 'series', table: 'session_series', recordKind: 'series', CLIENT: seriesOfClient, CLINIC: rowsOfClinic },
];

/**
 * Tombstones that no caller can synchronise any more: those of Sessions hidden from an erased Care Provider, and all
 * tombstones of an erased Clinic.
 */
export const TOMBSTONE_ROWS_TO_ERASE: readonly RowsToErase[] = [
  { table: 'hidden_session', CARE_PROVIDER: rowsOfPerson('care_provider_id'), CLINIC: rowsOfClinic },
  { table: 'removed_session', CLINIC: rowsOfClinic },
  { table: 'removed_homework', CLINIC: rowsOfClinic },
  { table: 'removed_record', CLINIC: rowsOfClinic },
];
