import type pg from 'pg';
import { connectAsOwner } from '../database/owner-connection.js';
import { createTestDatabase, type TestDatabase } from '../database/test-database.js';
import { ServiceProcess } from '../process/service-process.js';
import { TestSmtpServer, type ReceivedMail } from './smtp-server.js';

type MailReconciliation = {
  /** Number of reminders that are SENT although their recipient has received no e-mail. */
  lost: number;
  /** E-mails with a Message-ID that had already been received. */
  duplicates: ReceivedMail[];
  /** Number of different Message-IDs. */
  messages: number;
};

/** Processes of the built service that share a PostgreSQL database and send e-mails to a test server. */
export class ReminderFleet {
  readonly instances: ServiceProcess[] = [];
  database!: TestDatabase;
  client!: pg.Client;
  smtp!: TestSmtpServer;
  url!: string;

  static async start(instances: number, environment: Record<string, string> = {}): Promise<ReminderFleet> {
    const fleet = new ReminderFleet();
    fleet.database = await createTestDatabase('postgresql');
    const { environment: database } = fleet.database;
    fleet.url = database.kind === 'postgresql' ? database.url : '';
    fleet.client = await connectAsOwner(database);
    fleet.smtp = await TestSmtpServer.start();
    await Promise.all(Array.from({ length: instances }, () => fleet.add(environment)));
    return fleet;
  }

  async add(environment: Record<string, string> = {}): Promise<ServiceProcess> {
    const variables = { DATABASE_URL: this.url, LOG_LEVEL: 'error', ...this.smtp.variables, ...environment };
    const instance = await ServiceProcess.start(variables);
    this.instances.push(instance);
    return instance;
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.splice(0).map((instance) => instance.terminate('SIGKILL')));
    await this.smtp.stop();
    await this.client.end();
    await this.database.drop();
  }

  /** Inserts Clinic 1, Care Provider 1, and Clients with IDs from 1, each with an e-mail address. */
  async insertClients(clients: number): Promise<void> {
    await this.client.query(`
      insert into clinic (name, time_zone, active, created_at) values ('C', 'Europe/London', true, now());
      insert into care_provider (clinic_id, name, active, created_at) values (1, 'P', true, now());
      insert into client (clinic_id, name, email, active, created_at)
        select 1, 'K', 'k' || n || '@example.org', true, now() from generate_series(1, ${clients}) n;
      insert into client_assignment (clinic_id, client_id, care_provider_id, assigned_at)
        select 1, n, 1, now() from generate_series(1, ${clients}) n;
      insert into session_series (id, clinic_id, caregiver_id, interval_days, reminders, created_at)
        values ('019abcde-0000-7000-8000-000000000000', 1, 1, 7, '[]', now())`);
  }

  /**
   * Inserts reminders, each with its own Session. Their recipients are the first `clients` Clients in turn.
   *
   * @param seconds time over which the due times are spread; 0 makes all reminders due at once
   * @param delaySeconds time after which the first reminder is due
   */
  async insertReminders(count: number, clients: number, seconds = 0, delaySeconds = 0): Promise<void> {
    await this.client.query(`
      with made as (
        insert into session (clinic_id, series_id, position, caregiver_id, client_id, title, planned_date, planned_time,
            time_zone, duration_minutes, starts_at, ends_at, status, version, created_at, updated_at)
          select 1, '019abcde-0000-7000-8000-000000000000', coalesce((select max(position) from session), 0) + n, 1,
            (n - 1) % ${clients} + 1, 'T', to_char(start at time zone 'Europe/London', 'YYYY-MM-DD'),
            to_char(start at time zone 'Europe/London', 'HH24:MI'), 'Europe/London', 50, start, start + interval '50 minutes',
            'SCHEDULED', 1, now(), now()
          from generate_series(1, ${count}) n, lateral (select '2027-01-01T10:00Z'::timestamptz + n * interval '1 hour') s (start)
          returning id, client_id
      )
      insert into reminder (clinic_id, session_id, caregiver_id, recipient_kind, recipient_id, rule, due_at, send_at,
          status, story, created_at)
        select 1, id, 1, 'CLIENT', client_id, '{"kind":"REMIND_DAYS","days":0}', due, due, 'PENDING', '[]', now()
        from (select *, now() + interval '1 second' *
            (${delaySeconds} + ${seconds} * (row_number() over (order by id) - 1) / ${count}) as due
          from made) as made`);
  }

  /** Makes all reminders due now. */
  async makeRemindersDue(): Promise<void> {
    await this.client.query('update reminder set due_at = now(), send_at = now()');
    await this.client.query('vacuum analyze reminder');
  }

  /** Deletes all reminders and e-mails, so that several tests can share the instances, which start slowly. */
  async clearReminders(): Promise<void> {
    await this.client.query('delete from reminder; delete from session');
    await this.client.query(`delete from pgboss.job where name like 'reminder%'`);
    await this.smtp.setMode({ kind: 'ok' });
    this.smtp.mails.length = 0;
  }

  async countByStatus(): Promise<Record<string, number>> {
    const { rows } = await this.client.query<{ status: string; count: number }>(
      'select status, count(*)::int as count from reminder group by status',
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** Compares the reminders that are SENT with the received e-mails. */
  async reconcileMails(): Promise<MailReconciliation> {
    const { rows } = await this.client.query<{ message_id: string; email: string }>(`
      select message_id, person.email from reminder
      join (select 'CLIENT' as kind, id, email from client union all select 'CARE_PROVIDER', id, email from care_provider)
        as person on (person.kind, person.id) = (recipient_kind, recipient_id)
      where reminder.status = 'SENT'`);
    const recipients = new Map<string, string>();
    const duplicates: ReceivedMail[] = [];
    for (const mail of this.smtp.mails) {
      if (recipients.has(mail.messageId)) duplicates.push(mail);
      else recipients.set(mail.messageId, mail.recipient);
    }
    const lost = rows.filter((row) => recipients.get(row.message_id) !== row.email).length;
    return { lost, duplicates, messages: recipients.size };
  }
}
