import type { Principal } from '../../access/index.js';

/** The actor of reminder dispatch. */
type RemindersActor = { role: 'REMINDERS'; clinicId?: number | undefined };

/**
 * The actor of a transaction, which determines the transaction's database role and session variables. The login role
 * can access only a few tables without tenant data, so a transaction must first set another role (migration
 * "isolation").
 */
export type Actor =
  | Principal
  /** The holder of a calendar link, identified by the digest of its secret. */
  | { role: 'CALENDAR_LINK'; secretHash: string }
  /** The holder of an opt-out link from an e-mail, identified by the digest of its secret. */
  | { role: 'OPT_OUT_LINK'; secretHash: string }
  /** Reminder dispatch across all Clinics, or in one Clinic if the database is distributed. */
  | RemindersActor
  /** Deletion of expired rows across all Clinics. */
  | { role: 'MAINTENANCE' }
  /** Sealing and verification of the audit trail across all Clinics. */
  | { role: 'AUDIT' }
  /** Changes made by the service itself across all Clinics: recomputes instants when time zone data changes. */
  | { role: 'SYSTEM' }
  /** Metrics: row counts and ages across all Clinics, without personal data. */
  | { role: 'MONITORING' }
  /** A caller without a token. */
  | { role: 'NOBODY' };
