import { sql } from 'kysely';
import { ofClinic, ofOwner, ofPerson, type ErasedRows, type OwnRows } from '../../shared/erasure/index.js';

/** Selects the rows that refer to a Session of the Client. */
const ofSessionsOfClient: OwnRows = ({ clinicId, id }) => sql`
  t.clinic_id = ${clinicId} and t.session_id in (
    select s.id from session s where s.clinic_id = ${clinicId} and s.client_id = ${id})`;

/**
 * Selects the series of the Client. A series row does not name the Client, so the series are found through their
 * Sessions or, if these are already deleted, through the tombstones of the Sessions.
 */
const seriesOfClient: OwnRows = ({ clinicId, id }) => sql`
  t.clinic_id = ${clinicId} and t.id in (
    select s.series_id from session s where s.clinic_id = ${clinicId} and s.client_id = ${id}
    union all
    select r.series_id from removed_session r where r.clinic_id = ${clinicId} and r.client_id = ${id})`;

/**
 * Sessions and all rows that belong to them. Synchronising clients learn of an erasure from tombstones: those of
 * Sessions are stored here, and those of homework by a trigger. The erasure of a Care Provider removes only the
 * reminders to them, because the Sessions belong to Clients.
 */
export const ERASED_WITH_SESSIONS: readonly ErasedRows[] = [
  {
    countedAs: 'reminders',
    table: 'reminder',
    CLIENT: ofSessionsOfClient,
    CARE_PROVIDER: ofOwner('recipient_kind', 'recipient_id'),
    CLINIC: ofClinic,
  },
  { countedAs: 'homework', table: 'homework', CLIENT: ofSessionsOfClient, CLINIC: ofClinic },
  {
    countedAs: 'sessions',
    table: 'session',
    key: 'id',
    recordKind: 'session',
    CLIENT: ({ clinicId, id }) => sql`t.clinic_id = ${clinicId} and t.client_id = ${id}`,
    CLINIC: ofClinic,
    keepTombstones: ({ rows, now }) => sql`
      insert into removed_session (clinic_id, session_id, series_id, caregiver_id, client_id, design_plan_id, version,
        series_version, removed_at)
      select clinic_id, id, series_id, caregiver_id, client_id, design_plan_id, version + 1,
        (select s.version from session_series s where s.clinic_id = t.clinic_id and s.id = t.series_id), ${now}
      from session t where ${rows}`,
  },
  { countedAs: 'series', table: 'session_series', recordKind: 'series', CLIENT: seriesOfClient, CLINIC: ofClinic },
];

/**
 * Tombstones that no caller can synchronise any more: those of Sessions hidden from an erased Care Provider, and all
 * tombstones of an erased Clinic.
 */
export const ERASED_TOMBSTONES: readonly ErasedRows[] = [
  { table: 'hidden_session', CARE_PROVIDER: ofPerson('care_provider_id'), CLINIC: ofClinic },
  { table: 'removed_session', CLINIC: ofClinic },
  { table: 'removed_homework', CLINIC: ofClinic },
  { table: 'removed_record', CLINIC: ofClinic },
];
