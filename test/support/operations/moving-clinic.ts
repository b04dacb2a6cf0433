import { sql } from 'kysely';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditSealer } from '../../../src/audit/index.js';
import { TestApp, TEST_JWT_SECRET, type TestResponse } from '../app/test-app.js';
import { createTestKeys, toKeyVariables } from '../app/test-keys.js';
import { TestTenant } from '../contract/tenant.js';
import { runCommandInProcess, type CommandResult } from '../process/cli-command.js';

const CLINIC = '/gateway/profile/clinic';
const SESSION = '/gateway/profile/caregiver/session';

/** The environment variables of a command on the database and with the keys of an application. */
export function commandVariablesOf(app: TestApp): Record<string, string> {
  const { database, encryption } = app.environment;
  if (database.kind !== 'postgresql') throw new Error('This test needs a server');
  return {
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.migrationUrl,
    JWT_SECRET: TEST_JWT_SECRET,
    ...toKeyVariables(encryption),
  };
}

/** Runs a command on the database and with the keys of an application. */
export function runCommandOf(app: TestApp, name: string, ...words: string[]): Promise<CommandResult> {
  return runCommandInProcess(name, words, commandVariablesOf(app));
}

/** Two installations, with a Clinic that is to move from the first to the second. */
export class MovingClinic {
  readonly directory = mkdtempSync(join(tmpdir(), 'move-'));
  old!: TestApp;
  target!: TestApp;
  tenant!: TestTenant;
  recipient!: string;

  static async start(): Promise<MovingClinic> {
    const moving = new MovingClinic();
    // Workers fetch messages when the dispatcher tells them to, and not in between. Jobs of crashed processes stay.
    moving.old = await TestApp.start({ rawVariables: { QUEUE_POLLING: 'PT1H', QUEUE_SUPERVISION: 'PT1H' } });
    moving.target = await TestApp.start({ encryption: createKeysOfAnotherRing() });
    await moving.succeed(moving.target, 'id-range', '--number', '5');
    moving.tenant = await TestTenant.create(moving.old);
    await moving.fill();
    moving.recipient = (
      await moving.succeed(moving.target, 'import-clinic', '--new-identity', moving.file('key'))
    ).trim();
    return moving;
  }

  async stop(): Promise<void> {
    rmSync(this.directory, { recursive: true });
    await this.target.stop();
    await this.old.stop();
  }

  file(name: string): string {
    return join(this.directory, name);
  }

  /** Runs `export-clinic` for the Clinic. */
  export(...words: string[]): Promise<CommandResult> {
    return runCommandOf(this.old, 'export-clinic', '--clinic', String(this.tenant.fixture.clinicId), ...words);
  }

  exportTo(file: string): Promise<CommandResult> {
    return this.export('--recipient', this.recipient, '--output', this.file(file));
  }

  importFrom(file: string, app = this.target, ...words: string[]): Promise<CommandResult> {
    return runCommandOf(app, 'import-clinic', '--identity', this.file('key'), '--input', this.file(file), ...words);
  }

  /** Runs `import-clinic` for the Clinic. */
  onArrival(...words: string[]): Promise<CommandResult> {
    return runCommandOf(this.target, 'import-clinic', '--clinic', String(this.tenant.fixture.clinicId), ...words);
  }

  /** @throws Error if the command fails. @returns the output */
  async succeed(app: TestApp, name: string, ...words: string[]): Promise<string> {
    const { status, stdout, stderr } = await runCommandOf(app, name, ...words);
    if (status !== 0) throw new Error(`${name} ${words.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Creates a plan with an `Idempotency-Key`, or gets the answer again. */
  createPlanOnce(app: TestApp): Promise<TestResponse> {
    const { clinicToken: token } = this.tenant.fixture;
    const headers = { 'idempotency-key': 'a key' };
    return app.call('POST', `${CLINIC}/design-plan`, { token, body: { planName: 'Once' }, headers });
  }

  createSession(app: TestApp, date: string, fields: object = {}): Promise<TestResponse> {
    const { careProviderToken: token, clientIds, ownBookId, sharedBookId } = this.tenant.fixture;
    const bookIdList = [ownBookId, sharedBookId];
    const body = { clientId: clientIds[0], title: 'Sleep', date, time: '09:30', bookIdList, ...fields };
    return app.call('POST', SESSION, { token, body });
  }

  /** Changes the Clinic as each role. Returns the status and the type of each answer. */
  async write(app: TestApp): Promise<(string | number | undefined)[][]> {
    const { clinicId, clinicToken, clientIds } = this.tenant.fixture;
    const clientToken = await app.createToken('CLIENT', clientIds[0]);
    const adminToken = await app.createToken('ADMIN');
    const name = `${this.tenant.marker}late`;
    const answers = [
      await app.call('POST', `${CLINIC}/design-plan`, { token: clinicToken, body: { planName: 'Late' } }),
      await this.createSession(app, '2028/01/04'),
      await app.call('PUT', '/gateway/profile/client/reminder-preference', { token: clientToken, body: {} }),
      await app.call('PATCH', `/gateway/admin/clinic/${clinicId}`, { token: adminToken, body: { name } }),
    ];
    return answers.map(({ status, body }) => [status, (body as { type?: string } | undefined)?.type]);
  }

  /** Creates sealed and unsealed entries, a stored answer, and reminders that were sent, are due, and are ahead. */
  private async fill(): Promise<void> {
    const { old, tenant } = this;
    const { clinicToken: token, careProviderToken, clientIds, clinicId } = tenant.fixture;
    const admin = await old.createToken('ADMIN');
    await this.createSession(old, '2027/03/21', { remindDays: 0 });
    await old.deliverDueReminders();
    await old.nest.get(AuditSealer).seal();
    await this.createSession(old, '2027/03/28', { remindDays: 0, reminders: ['-P1D'] });
    await old.call('PUT', '/gateway/profile/caregiver/reminder-preference', { token: careProviderToken, body: {} });
    const path = '/gateway/profile/caregiver/calendar-link';
    const { body: link } = await old.call('POST', path, { token: careProviderToken, body: {} });
    await old.call('GET', new URL(link.url as string).pathname);
    await old.call('PUT', `${CLINIC}/retention`, { token, body: { sessions: 'P12Y' } });
    const client = `${CLINIC}/client/${clientIds[1]}`;
    await old.call('POST', `${client}/erasure`, { token, body: { reason: 'SUBJECT_REQUEST' } });
    await old.call('PUT', `${client}/legal-hold`, { token, body: { reason: 'LITIGATION' } });
    const revocation = { record: `client/${clientIds[2]}`, subject: 'user-9' };
    await old.call('POST', `${CLINIC}/revoked-token-holder`, { token, body: revocation });
    await old.queryRows(sql`
      insert into revoked_token (jti, revoked_at, expires_at) values ('lost', now(), now() + interval '1 day')`);
    const access = { clinicId, reason: 'Support' };
    const opened = await old.call('POST', '/gateway/admin/administrator-access', { token: admin, body: access });
    const headers = { 'administrator-access': String(opened.body.id) };
    await old.call('GET', `${CLINIC}/client`, { token: admin, headers });
    await old.queryRows(sql`insert into removed_record values (${clinicId}, ${clientIds[0]}, 'session/77', now())`);
    await old.queryRows(sql`
      insert into removed_session (clinic_id, session_id, series_id, caregiver_id, client_id, version, series_version,
        removed_at)
      values (${clinicId}, 77, gen_random_uuid(), 1, 1, 1, 1, now())`);
    await this.createPlanOnce(old);
  }
}

function createKeysOfAnotherRing(): ReturnType<typeof createTestKeys> {
  const settings = createTestKeys();
  const ring = [{ name: 'other', key: Buffer.alloc(32, 9).toString('base64') }] as const;
  return settings.keys?.kind === 'configured' ? { ...settings, keys: { ...settings.keys, ring: [...ring] } } : settings;
}
