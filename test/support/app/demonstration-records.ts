import { expect } from '@jest/globals';
import type { DemonstrationApp } from './demonstration-app.js';

const CLINIC = '/gateway/profile/clinic';

/** Creates a Client of Clinic 1 and assigns it to a Care Provider. Returns the id. */
export async function createAssignedClient(app: DemonstrationApp, name: string, careProviderId: number) {
  const created = await app.call('POST', `${CLINIC}/client`, 'CLINIC', { name }, { prefer: 'return=representation' });
  const { id } = created.body as { id: number };
  const assigned = await app.call('PUT', `${CLINIC}/client/${id}/care-provider/${careProviderId}`, 'CLINIC');
  expect(assigned.status).toBe(204);
  return id;
}

/** Creates a Care Provider of Clinic 1, and returns the id. */
export async function createCareProvider(app: DemonstrationApp, name: string) {
  const prefer = { prefer: 'return=representation' };
  const { body } = await app.call('POST', `${CLINIC}/care-provider`, 'CLINIC', { name }, prefer);
  return (body as { id: number }).id;
}

/** Creates daily Sessions. @param date the first day, `yyyy/MM/dd` */
export async function createDailySessions(
  app: DemonstrationApp,
  {
    clientId,
    caregiverId,
    date,
    sessionCount,
  }: Record<'clientId' | 'caregiverId' | 'sessionCount', number> & { date: string },
) {
  const body = { clientId, caregiverId, date, time: '07:00', title: 'Daily call', durationMinutes: 5 };
  const path = `${CLINIC}/session?conflicts=report`;
  const { status } = await app.call('POST', path, 'CLINIC', { ...body, sessionCount, intervalDays: 1 });
  expect(status).toBe(201);
}
