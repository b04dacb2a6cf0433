import { sql } from 'kysely';
import { ErasureRun } from '../../src/erasure/run/erasure.run.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * The erasure of a person or Clinic removes the names of accounts in revocations of administrators, and stored answers with
 * secrets of calendar links.
 */

const ADMIN = '/gateway/admin';
const CLINIC = '/gateway/profile/clinic';

let app: TestApp;
let admin: string;
let clinic: ClinicFixture;
let other: ClinicFixture;
beforeAll(async () => {
  app = await TestApp.start();
  await app.nest.get(Scheduler).stop('erasure');
  admin = await app.createToken('ADMIN');
});
beforeEach(async () => {
  [clinic, other] = [await app.createClinic(), await app.createClinic()];
});
afterAll(() => app.stop());

async function call(token: string, method: string, path: string, body?: object, headers = {}) {
  const answer = await app.call(method, path, { token, headers, ...(body && { body }) });
  expect({ path, isSuccess: [200, 201].includes(answer.status) }).toEqual({ path, isSuccess: true });
  return answer.body;
}

async function erase(token: string, subject: string): Promise<void> {
  const { id } = await call(token, 'POST', `${subject}/erasure`, { reason: 'SUBJECT_REQUEST' });
  app.clock.advance({ hours: 1 });
  await call(token, 'POST', `${subject}/erasure/${id}/confirmation`);
  // Until then, requests that began before the confirmation may create rows.
  app.clock.advance({ minutes: 5 });
  await app.nest.get(ErasureRun).eraseConfirmed();
  expect((await call(token, 'GET', `${subject}/erasure/${id}`)).erasedAt).not.toBeNull();
}

it('subjects in revocations of administrators are removed with their person or Clinic, and no others', async () => {
  const mark = `account-${clinic.clinicId}`;
  const namesOf = ({ clinicId, clientIds, careProviderIds }: ClinicFixture) => [
    ...[`client/${clientIds[0]}`, `client/${clientIds[1]}`],
    ...[`care-provider/${careProviderIds[0]}`, `clinic/${clinicId}`],
  ];
  const subjectOf = (record: string) => `${mark} ${record}`;
  const revoke = (body: object) => call(admin, 'POST', `${ADMIN}/revoked-token-holder`, body);
  for (const record of [...namesOf(clinic), ...namesOf(other)]) await revoke({ record, subject: subjectOf(record) });
  // All tokens of the record stay revoked.
  await revoke({ record: `client/${clinic.clientIds[0]}` });
  const read = async () => {
    const rows = await app.queryRows(sql<{ subject: string }>`
      select subject from revoked_token_holder where subject like ${`${mark} %`} order by id`);
    return rows.map(({ subject }) => subject);
  };
  const [client, ...others] = namesOf(clinic);
  await erase(clinic.clinicToken, `${CLINIC}/${client}`);
  expect(await read()).toEqual([...others, ...namesOf(other)].map(subjectOf));
  await erase(clinic.clinicToken, `${CLINIC}/${others[1]}`);
  expect(await read()).toEqual([others[0]!, others[2]!, ...namesOf(other)].map(subjectOf));
  await erase(admin, `${ADMIN}/clinic/${clinic.clinicId}`);
  expect(await read()).toEqual(namesOf(other).map(subjectOf));
  const ofRecord = await app.queryRows(sql`
    select from revoked_token_holder
    where role = 'CLIENT' and record_id = ${clinic.clientIds[0]} and subject is null and clinic_id is null`);
  expect(ofRecord).toHaveLength(1);
});

it('stored answers with the secret of a calendar link are removed with the owner of the link', async () => {
  const [clientId] = clinic.clientIds;
  const headers = { 'idempotency-key': `link-${clinic.clinicId}` };
  const createLink = async (token: string, profile: string) =>
    `calendar-link/${(await call(token, 'POST', `/gateway/profile/${profile}/calendar-link`, {}, headers)).id}`;
  const countStored = async (record: string) =>
    (await app.queryRows(sql`select from idempotency_key where ${record} = any(records)`)).length;
  const ofClient = await createLink(await app.createToken('CLIENT', clientId), 'client');
  const ofCareProvider = await createLink(clinic.careProviderToken, 'caregiver');
  const ofOther = await createLink(await app.createToken('CLIENT', clinic.clientIds[1]), 'client');
  await erase(clinic.clinicToken, `${CLINIC}/client/${clientId}`);
  expect([await countStored(ofClient), await countStored(ofCareProvider), await countStored(ofOther)]).toEqual([
    0, 1, 1,
  ]);
  await erase(clinic.clinicToken, `${CLINIC}/care-provider/${clinic.careProviderIds[0]}`);
  expect([await countStored(ofCareProvider), await countStored(ofOther)]).toEqual([0, 1]);
});
