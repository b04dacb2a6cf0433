import { sql } from 'kysely';
import { OptOutLink } from '../../../src/reminder/index.js';
import type { TestTenant } from './tenant.js';

/**
 * Creates the kinds of rows that `TestTenant` does not create, so that each table with tenant data has a row of the Clinic.
 * The job that processes requests for replanning must be stopped, because it deletes the one that is created here.
 */
export async function fillTables({ app, fixture }: TestTenant): Promise<void> {
  const caregiver = { token: fixture.careProviderToken };
  await app.call('POST', '/gateway/profile/caregiver/calendar-link', { ...caregiver, body: {} });
  const link = new OptOutLink(
    fixture.clinicId,
    { kind: 'CLIENT', id: fixture.clientIds[1] },
    `s-${fixture.clinicId}`,
    app.clock.now(),
  );
  await app.asSuperuser((em) => em.persist(link).flush());
  await app.call('POST', '/gateway/admin/administrator-access', {
    token: await app.createToken('ADMIN'),
    body: { clinicId: fixture.clinicId, reason: 'Support' },
  });
  const revocation = { record: `client/${fixture.clientIds[1]}`, subject: 'user-9' };
  await app.call('POST', '/gateway/profile/clinic/revoked-token-holder', {
    token: fixture.clinicToken,
    body: revocation,
  });
  const preference = { quietHours: { from: '21:00', to: '08:00' } };
  await app.call('PUT', '/gateway/profile/caregiver/reminder-preference', { ...caregiver, body: preference });
  const own = { token: fixture.clinicToken, body: preference };
  await app.call('PUT', '/gateway/profile/clinic/reminder-preference', own);
  await app.call('PUT', '/gateway/profile/clinic/retention', {
    token: fixture.clinicToken,
    body: { sessions: 'P12Y' },
  });
  const { clinicId } = fixture;
  const client = `/gateway/profile/clinic/client/${fixture.clientIds[1]}`;
  const ground = { token: fixture.clinicToken, body: { reason: 'SUBJECT_REQUEST' } };
  await app.call('POST', `${client}/erasure`, ground);
  await app.call('PUT', `${client}/legal-hold`, { ...ground, body: { reason: 'LITIGATION' } });
  // No Session has a negative ID.
  await app.queryRows(sql`
    insert into removed_session (clinic_id, session_id, series_id, caregiver_id, client_id, version, series_version,
      removed_at)
    values (${clinicId}, ${-clinicId}, gen_random_uuid(), ${fixture.careProviderIds[0]}, ${fixture.clientIds[0]}, 1, 1,
      now())`);
  // After the assignment has ended, the first Care Provider can no longer see the second one's Session.
  const [clientId, [careProviderId, colleagueId]] = [fixture.clientIds[2], fixture.careProviderIds];
  const token = await app.createToken('CARE_PROVIDER', colleagueId);
  const bookIdList = [fixture.ownBookId, fixture.sharedBookId];
  const body = { clientId, title: 'T', date: '2027/03/01', time: '09:30', bookIdList };
  await app.call('POST', '/gateway/profile/caregiver/session', { token, body });
  // Deletes homework in the same way as a revision. The homework with the other Book remains.
  await app.queryRows(sql`
    delete from homework where id = (select max(id) from homework where clinic_id = ${fixture.clinicId})`);
  const assignment = `/gateway/profile/clinic/client/${clientId}/care-provider/${careProviderId}`;
  for (const method of ['PUT', 'DELETE']) await app.call(method, assignment, { token: fixture.clinicToken });
}
