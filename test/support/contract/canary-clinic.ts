import pg from 'pg';
import { signToken } from '../../../src/auth/index.js';
import type { Role } from '../../../src/shared/access/index.js';
import { createTestDatabase, type TestDatabase } from '../database/test-database.js';
import { OtlpReceiver } from '../operations/otlp-receiver.js';
import { ServiceProcess } from '../process/service-process.js';
import { TestSmtpServer } from '../reminder/smtp-server.js';
import { WebhookReceiver } from '../reminder/webhook-receiver.js';
import { testEnvironment } from '../app/test-app.js';

/** Returns a unique text, a canary, that contains the name of its field. */
export const createCanary = (field: string): string => `xqcanary${field}`;
/** Returns all canaries in the given values, without duplicates. */
export const findCanaries = (...things: unknown[]): string[] =>
  [
    ...new Set(
      things.flatMap((thing) => (typeof thing === 'string' ? thing : JSON.stringify(thing)).match(/xqcanary\w*/gi)),
    ),
  ]
    .filter((found) => found !== null)
    .toSorted();

const ADMIN_PATH = '/gateway/admin';
export const CLINIC_PATH = '/gateway/profile/clinic';
export const CARE_PROVIDER_PATH = '/gateway/profile/caregiver';

type Caller = { role: Role; id?: number };
type RecordedResponse = { status: number; body: any; text: string; headers: [string, string][] }; // eslint-disable-line @typescript-eslint/no-explicit-any -- the type depends on the operation

/**
 * Runs a service process with the most detailed log and with traces. Its Clinic has a canary in every field with
 * personal data.
 */
export class CanaryClinic {
  readonly responses: RecordedResponse[] = [];
  database!: TestDatabase;
  sql!: pg.Client;
  smtp!: TestSmtpServer;
  webhook!: WebhookReceiver;
  receiver!: OtlpReceiver;
  instance!: ServiceProcess;
  private variables: Record<string, string> = {};
  readonly admin: Caller = { role: 'ADMIN' };
  clinic!: Caller;
  careProvider!: Caller;
  client!: Caller;
  readonly clientEmail = `${createCanary('ClientEmail')}@example.org`;
  planId!: number;

  /**
   * @param usesChannels whether reminders go by e-mail and webhook instead of to the log
   * @param keyVariables the keys for encryption; none by default, so that a dump shows all texts
   */
  static async start(usesChannels = true, keyVariables: Record<string, string> = {}): Promise<CanaryClinic> {
    const clinic = new CanaryClinic();
    clinic.database = await createTestDatabase('postgresql');
    const { environment } = clinic.database;
    if (environment.kind !== 'postgresql') throw new Error('This test needs a server');
    clinic.sql = new pg.Client({ connectionString: environment.migrationUrl });
    await clinic.sql.connect();
    clinic.smtp = await TestSmtpServer.start();
    // The webhook receiver echoes the body. The first attempt for each message fails.
    clinic.webhook = await WebhookReceiver.start((response, { headers, body }) => {
      const attempts = clinic.webhook.calls.filter((call) => call.headers['webhook-id'] === headers['webhook-id']);
      response.writeHead(attempts.length === 1 ? 500 : 204).write(body);
    });
    clinic.receiver = await OtlpReceiver.start();
    const variables = usesChannels ? { ...clinic.smtp.variables, ...clinic.webhook.variables } : {};
    clinic.variables = {
      ...{ DATABASE_URL: environment.url, LOG_LEVEL: 'trace' },
      ...clinic.receiver.variables,
      ...variables,
      ...keyVariables,
    };
    clinic.instance = await ServiceProcess.start(clinic.variables);
    await clinic.createRecords();
    if (usesChannels) await clinic.chooseChannels();
    return clinic;
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    await this.instance.terminate('SIGKILL');
  }

  /** Starts a process after the earlier one was killed. */
  async startAgain(): Promise<void> {
    this.instance = await ServiceProcess.start(this.variables);
  }

  async stop(): Promise<void> {
    await this.instance.terminate('SIGKILL');
    await this.smtp.stop();
    this.webhook.stop();
    this.receiver.stop();
    await this.sql.end();
    await this.database.drop();
  }

  async call(
    as: Caller,
    method: string,
    path: string,
    body?: unknown,
    headers: object = {},
  ): Promise<RecordedResponse> {
    const token = await signToken(testEnvironment.token, { id: undefined, ...as });
    const response = await fetch(`${this.instance.url}${path}`, {
      method,
      headers: {
        authorization: `bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /\/(problem\+)?json/.test(response.headers.get('content-type') ?? '');
    const reply = {
      status: response.status,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      headers: [...response.headers],
    };
    this.responses.push(reply);
    return reply;
  }

  /** @throws Error if the response is not a success */
  async callOrThrow(...call: Parameters<CanaryClinic['call']>): Promise<RecordedResponse> {
    const reply = await this.call(...call);
    if (reply.status >= 300) throw new Error(`${call[1]} ${call[2]}: ${reply.status} ${reply.text}`);
    return reply;
  }

  /** Creates a Session with a reminder that is due at once for both recipients. */
  createSession(change: object = {}): Promise<RecordedResponse> {
    return this.callOrThrow(this.careProvider, 'POST', `${CARE_PROVIDER_PATH}/session`, { ...this.session, ...change });
  }

  get session() {
    const texts = { title: createCanary('SessionTitle'), description: createCanary('SessionDescription') };
    return { clientId: this.client.id, date: '2030/03/01', time: '09:30', remindDays: 0, ...texts };
  }

  /** Applies the plan and makes its homework reminders due now. */
  async applyPlan(date: string): Promise<void> {
    const body = { clientId: this.client.id, date, time: '09:30' };
    await this.callOrThrow(this.careProvider, 'POST', `${CARE_PROVIDER_PATH}/design-plan/${this.planId}/apply`, body);
    const isHomework = `homework_id is not null and status = 'PENDING'`;
    await this.sql.query(`update reminder set due_at = now(), send_at = now() where ${isHomework}`);
  }

  private async createRecords(): Promise<void> {
    const named = (kind: string) => ({
      name: createCanary(`${kind}Name`),
      externalId: createCanary(`${kind}ExternalId`),
    });
    const zone = { timeZone: 'Europe/London' };
    this.clinic = await this.createRecord(this.admin, 'CLINIC', `${ADMIN_PATH}/clinic`, {
      ...named('Clinic'),
      ...zone,
    });
    const person = (kind: string) => ({ ...named(kind), email: `${createCanary(`${kind}Email`)}@example.org` });
    const [careProviders, clients] = [`${CLINIC_PATH}/care-provider`, `${CLINIC_PATH}/client`];
    this.careProvider = await this.createRecord(this.clinic, 'CARE_PROVIDER', careProviders, person('CareProvider'));
    this.client = await this.createRecord(this.clinic, 'CLIENT', clients, person('Client'));
    await this.callOrThrow(this.clinic, 'PUT', `${clients}/${this.client.id}/care-provider/${this.careProvider.id}`);
    const access = { clinicId: this.clinic.id, reason: createCanary('AdministratorAccessReason') };
    await this.callOrThrow(this.admin, 'POST', `${ADMIN_PATH}/administrator-access`, access);
    await this.createPlan();
  }

  private async createPlan(): Promise<void> {
    const book = {
      ...{ title: createCanary('BookTitle'), externalId: createCanary('BookExternalId') },
      ...{ description: createCanary('BookDescription'), link: `https://example.org/${createCanary('BookLink')}` },
    };
    const { id: bookId } = await this.createRecord(this.clinic, 'CLINIC', `${CLINIC_PATH}/book`, book);
    const assignments = [{ bookId, assignReminds: [{ reminderDay: 2, time: '20:00' }] }];
    const plan = {
      planName: createCanary('PlanName'),
      appointmentTitle: createCanary('AppointmentTitle'),
      appointmentDesc: createCanary('AppointmentDesc'),
      weeks: [{ name: createCanary('WeekName'), assignments }],
    };
    const { id } = await this.createRecord(this.clinic, 'CLINIC', `${CLINIC_PATH}/design-plan`, plan);
    // Creates a second revision, so that the first one is stored as an earlier revision.
    const replacement = { ...plan, weeks: [...plan.weeks, {}] };
    await this.callOrThrow(this.clinic, 'PUT', `${CLINIC_PATH}/design-plan/${id}`, replacement, { 'if-match': '"1"' });
    this.planId = id!;
  }

  /** Makes the Client receive e-mails and the Care Provider receive webhooks. */
  private async chooseChannels(): Promise<void> {
    const preference = 'reminder-preference';
    await this.callOrThrow(this.client, 'PUT', `/gateway/profile/client/${preference}`, { channels: ['EMAIL'] });
    await this.callOrThrow(this.careProvider, 'PUT', `${CARE_PROVIDER_PATH}/${preference}`, { channels: ['WEBHOOK'] });
  }

  /** Creates a person and returns them as a caller. */
  private async createRecord(by: Caller, role: Role, path: string, body: unknown): Promise<Caller> {
    const { headers } = await this.callOrThrow(by, 'POST', path, body);
    return { role, id: Number(new Map(headers).get('location')!.split('/').at(-1)) };
  }
}
