import { ADD_REMINDER_CHANNEL, FIND_REMINDER_CHANNEL, HAS_REMINDER_CHANNEL } from './reminder-channel-trigger.js';

/** The statements that add the column. They are repeatable, and read no rows. */
export const ADD_ERASED_SESSION = [`alter table reminder add column if not exists erased_session_id bigint`] as const;

/**
 * Indexes, columns and values that migrations need on large tables. `npm run migrate` creates them before the migrations,
 * while the service writes; within the transaction of the migrations, requests would wait. A migration itself creates
 * those that are still missing.
 */
export const ONLINE_PREPARATIONS = [
  {
    usedBy: 'migration-20261123190000-synchronisation',
    table: 'session',
    indexes: [{ name: 'session_updated', definition: '(clinic_id, updated_at, id)' }],
  },
  {
    usedBy: 'migration-20261124100000-client-export',
    table: 'audit_entry',
    indexes: [
      { name: 'audit_entry_of_client', definition: `(clinic_id, actor_id, at, id) where actor_role = 'CLIENT'` },
    ],
  },
  {
    usedBy: 'migration-20261124110000-retention',
    table: 'session_series',
    indexes: [{ name: 'session_series_created', definition: '(clinic_id, created_at, id)' }],
  },
  {
    usedBy: 'migration-20261124110300-audit-partitions',
    table: 'audit_entry',
    indexes: [{ name: 'audit_entry_id_at', definition: '(id, at)', isUnique: true }],
  },
  {
    usedBy: 'migration-20261124200000-synchronised-lists',
    table: 'homework',
    indexes: [
      { name: 'homework_book', definition: '(clinic_id, book_id)' },
      { name: 'homework_completed', definition: '(clinic_id, session_id) where completed_at is not null' },
    ],
  },
  {
    usedBy: 'migration-20261124200100-reminder-channel',
    table: 'reminder',
    catalogChanges: ADD_REMINDER_CHANNEL,
    indexes: [{ name: 'reminder_channel', definition: '(clinic_id, channel, due_at, id) where channel is not null' }],
    backfill: { set: `channel = ${FIND_REMINDER_CHANNEL}`, where: `channel is null and ${HAS_REMINDER_CHANNEL}` },
  },
  {
    usedBy: 'migration-20261124235000-clinic-keys',
    table: 'reminder',
    indexes: [
      { name: 'reminder_key', definition: '(clinic_id, id)', isUnique: true },
      { name: 'reminder_by_id', definition: '(id)' },
    ],
  },
  {
    usedBy: 'migration-20261124235000-clinic-keys',
    table: 'session',
    indexes: [{ name: 'session_by_id', definition: '(id)' }],
  },
  {
    usedBy: 'migration-20261125140000-erased-session',
    table: 'reminder',
    catalogChanges: ADD_ERASED_SESSION,
    indexes: [
      {
        name: 'reminder_erased_session',
        definition: '(clinic_id, erased_session_id) where erased_session_id is not null',
      },
    ],
  },
];
