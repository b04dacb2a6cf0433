import type { ClientExport } from '../../../src/client/index.js';
import { buildAssignment, createPlan } from '../app/series-fixtures.js';
import type { ClinicFixture, TestApp } from '../app/test-app.js';

const [CLINIC, CAREGIVER, OWN] = ['clinic', 'caregiver', 'client'].map((role) => `/gateway/profile/${role}`) as [
  string,
  string,
  string,
];

/** Creates a Client with rows in every table. */
export class ExportedClientFixture {
  private constructor(
    readonly app: TestApp,
    readonly clinic: ClinicFixture,
    readonly id: number,
    readonly token: string,
  ) {}

  static async create(app: TestApp): Promise<ExportedClientFixture> {
    const clinic = await app.createClinic();
    const [id] = clinic.clientIds;
    const client = new ExportedClientFixture(app, clinic, id, await app.createToken('CLIENT', id));
    await client.fill();
    return client;
  }

  get path(): string {
    return `${CLINIC}/client/${this.id}/export`;
  }

  async export(headers: Record<string, string> = {}) {
    return this.app.call('GET', this.path, { token: this.clinic.clinicToken, headers });
  }

  /** Reads the export as a document, as the Clinic. */
  async readDocument(): Promise<ClientExport> {
    return (await this.export()).body as ClientExport;
  }

  /**
   * Sends a request.
   *
   * @throws Error if the request is refused
   */
  async send(token: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    const answer = await this.app.call(method, path, { token, ...(body && { body }), headers });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  private async fill(): Promise<void> {
    const { clinicToken, careProviderToken } = this.clinic;
    const person = {
      name: 'Ada',
      email: 'ada@example.org',
      timeZone: 'Europe/Berlin',
      locale: 'de',
      externalId: 'ehr-1',
    };
    await this.send(clinicToken, 'PATCH', `${CLINIC}/client/${this.id}`, person);
    const preference = { channels: ['LOG'], quietHours: { from: '21:00', to: '08:00' } };
    await this.send(this.token, 'PUT', `${OWN}/reminder-preference`, preference);
    await this.send(clinicToken, 'PUT', `${CLINIC}/reminder-preference`, { revealing: true });
    for (const titles of ['FULL', 'DISCREET']) await this.send(this.token, 'POST', `${OWN}/calendar-link`, { titles });
    const { body: links } = await this.send(this.token, 'GET', `${OWN}/calendar-link`);
    await this.send(this.token, 'DELETE', `${OWN}/calendar-link/${links.items[0].id}`);
    await this.applyPlans();
    const session = { clientId: this.id, title: 'Talk', description: 'About sleep', time: '09:30' };
    await this.send(careProviderToken, 'POST', `${CAREGIVER}/session`, {
      ...{ ...session, date: '2026/11/20', bookIdList: [this.clinic.ownBookId], remindDays: 0, reminders: ['-P1D'] },
    });
    await this.send(careProviderToken, 'POST', `${CAREGIVER}/session`, { ...session, date: '2027/05/03' });
    await this.send(careProviderToken, 'POST', `${CAREGIVER}/session`, {
      ...session,
      date: '2027/04/26',
      remindDays: 1,
    });
    const { body } = await this.send(
      clinicToken,
      'GET',
      `${CLINIC}/session?clientId=${this.id}&sort=-startsAt&limit=1`,
    );
    const cancellation = { reason: 'ILLNESS', note: 'Has called' };
    await this.send(careProviderToken, 'POST', `${CAREGIVER}/session/${body.items[0].id}/cancel`, cancellation);
    await this.send(careProviderToken, 'GET', `${CAREGIVER}/session/${body.items[0].id}/digest`);
    this.app.clock.advance({ hours: 30 });
    await this.app.deliverDueReminders();
  }

  /** Applies one plan at an earlier revision, and another plan at its current revision. */
  private async applyPlans(): Promise<void> {
    const { clinicToken, careProviderToken, ownBookId, careProviderIds } = this.clinic;
    const weeks = [{ assignments: [buildAssignment(ownBookId, [1, '09:00'])] }, {}];
    for (const planName of ['Earlier', 'Current']) {
      const plan = {
        planName,
        appointmentTitle: 'Week',
        appointmentDesc: 'Weekly',
        caregiverId: careProviderIds[0],
        weeks,
      };
      const id = await createPlan(this.app, this.clinic, plan);
      const applied = { clientId: this.id, date: '2027/03/22', time: '14:30', fromWeek: 1, toWeek: 2 };
      await this.send(careProviderToken, 'POST', `${CAREGIVER}/design-plan/${id}/apply`, applied);
      if (planName === 'Current') continue;
      const body = { planName: 'Replaced', weeks: [{}] };
      await this.send(clinicToken, 'PUT', `${CLINIC}/design-plan/${id}`, body, { 'if-match': '"1"' });
    }
  }
}
