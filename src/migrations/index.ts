import { Migration20261121000000Initial } from './migration-20261121000000-initial.js';
import { Migration20261121100000DesignPlanLife } from './migration-20261121100000-design-plan-life.js';
import { Migration20261121110000SessionLife } from './migration-20261121110000-session-life.js';
import { Migration20261121140000CalendarLink } from './migration-20261121140000-calendar-link.js';
import { Migration20261121150000ReminderTrust } from './migration-20261121150000-reminder-trust.js';
import { Migration20261121160000RevokedToken } from './migration-20261121160000-revoked-token.js';
import { Migration20261121161000RateLimit } from './migration-20261121161000-rate-limit.js';
import { Migration20261121170000Isolation } from './migration-20261121170000-isolation.js';
import { Migration20261121180000Idempotency } from './migration-20261121180000-idempotency.js';
import { Migration20261121190000Audit } from './migration-20261121190000-audit.js';
import { Migration20261121210000QueuedReminders } from './migration-20261121210000-queued-reminders.js';
import { Migration20261123100000Instance } from './migration-20261123100000-instance.js';
import { Migration20261123120000AuditCommand } from './migration-20261123120000-audit-command.js';
import { Migration20261123120001SeriesRules } from './migration-20261123120001-series-rules.js';
import { Migration20261123130000ReminderNotAfter } from './migration-20261123130000-reminder-not-after.js';
import { Migration20261123130001ClinicSettings } from './migration-20261123130001-clinic-settings.js';
import { Migration20261123140000Monitoring } from './migration-20261123140000-monitoring.js';
import { Migration20261123140001ZoneData } from './migration-20261123140001-zone-data.js';
import { Migration20261123150000RequestActivity } from './migration-20261123150000-request-activity.js';

/** All migrations, oldest first. The same list serves the embedded database and PostgreSQL. */
export const migrations = [
  { name: 'migration-20261121000000-initial', class: Migration20261121000000Initial },
  { name: 'migration-20261121100000-design-plan-life', class: Migration20261121100000DesignPlanLife },
  { name: 'migration-20261121110000-session-life', class: Migration20261121110000SessionLife },
  { name: 'migration-20261121140000-calendar-link', class: Migration20261121140000CalendarLink },
  { name: 'migration-20261121150000-reminder-trust', class: Migration20261121150000ReminderTrust },
  { name: 'migration-20261121160000-revoked-token', class: Migration20261121160000RevokedToken },
  { name: 'migration-20261121161000-rate-limit', class: Migration20261121161000RateLimit },
  { name: 'migration-20261121170000-isolation', class: Migration20261121170000Isolation },
  { name: 'migration-20261121180000-idempotency', class: Migration20261121180000Idempotency },
  { name: 'migration-20261121190000-audit', class: Migration20261121190000Audit },
  { name: 'migration-20261121210000-queued-reminders', class: Migration20261121210000QueuedReminders },
  { name: 'migration-20261123100000-instance', class: Migration20261123100000Instance },
  { name: 'migration-20261123120000-audit-command', class: Migration20261123120000AuditCommand },
  { name: 'migration-20261123120001-series-rules', class: Migration20261123120001SeriesRules },
  { name: 'migration-20261123130000-reminder-not-after', class: Migration20261123130000ReminderNotAfter },
  { name: 'migration-20261123130001-clinic-settings', class: Migration20261123130001ClinicSettings },
  { name: 'migration-20261123140000-monitoring', class: Migration20261123140000Monitoring },
  { name: 'migration-20261123140001-zone-data', class: Migration20261123140001ZoneData },
  { name: 'migration-20261123150000-request-activity', class: Migration20261123150000RequestActivity },
];
