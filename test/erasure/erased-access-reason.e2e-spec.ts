import { sql } from 'kysely';
import { ErasureRun } from '../../src/erasure/run/erasure.run.js';
import { Scheduler } from '../../src/scheduler/index.js';
import { ERASED_TEXT_PLACEHOLDER } from '../../src/shared/persistence/index.js';
import { TestApp, type ClinicFixture } from '../support/app/test-app.js';

/*
 * The erasure of a Clinic keeps the accesses of administrators to its data, without their reasons: with keys, also those that
 * were written before there were any, and without keys. Stored answers that have a reason are deleted.
 */

const ADMIN = '/gateway/admin';
const REASON = 'Support ticket 4711';

type Access = { id: number; clinicId: number; administrator: string; reason: string };

describe.each([
  ['with encryption', () => TestApp.start()],
  ['with ENCRYPTION=off', () => TestApp.start({ encryption: { encrypts: false, keys: undefined } })],
])('%s', (_, start) => {
  let app: TestApp;
  let admin: string;
  let clinic: ClinicFixture;
  let other: ClinicFixture;
  beforeAll(async () => {
    app = await start();
    await app.nest.get(Scheduler).stop('erasure');
    admin = await app.createToken('ADMIN');
  });
  beforeEach(async () => {
    [clinic, other] = [await app.createClinic(), await app.createClinic()];
  });
  afterAll(() => app.stop());

  async function call(method: string, path: string, body?: object) {
    const answer = await app.call(method, ADMIN + path, { token: admin, ...(body && { body }) });
    expect({ path, isSuccess: [200, 201].includes(answer.status) }).toEqual({ path, isSuccess: true });
    return answer.body;
  }
  const open = async ({ clinicId }: ClinicFixture) =>
    (await call('POST', '/administrator-access', { clinicId, reason: REASON })) as Access;
  const list = async () => {
    const { items } = await call('GET', '/administrator-access?limit=100');
    return (items as Access[]).filter(({ clinicId }) => [clinic.clinicId, other.clinicId].includes(clinicId));
  };
  const readStored = async ({ clinicId }: ClinicFixture) => {
    const rows = await app.queryRows(sql<{ reason: string }>`
      select reason from administrator_access where clinic_id = ${clinicId}`);
    return rows.map(({ reason }) => reason);
  };

  async function erase({ clinicId }: ClinicFixture): Promise<void> {
    const path = `/clinic/${clinicId}/erasure`;
    const { id } = await call('POST', path, { reason: 'SUBJECT_REQUEST' });
    app.clock.advance({ hours: 1 });
    await call('POST', `${path}/${id}/confirmation`);
    // Until then, requests that began before the confirmation may create rows.
    app.clock.advance({ minutes: 5 });
    await app.nest.get(ErasureRun).eraseConfirmed();
    expect((await call('GET', `${path}/${id}`)).erasedAt).not.toBeNull();
  }

  it('the reasons of accesses to an erased Clinic are overwritten, and no others', async () => {
    const accesses = [await open(clinic), await open(clinic), await open(other)];
    await app.queryRows(sql`update administrator_access set reason = ${REASON} where id = ${accesses[1]!.id}`);
    const kept = await readStored(other);
    expect((await list()).map(({ reason }) => reason)).toEqual([REASON, REASON, REASON]);

    await erase(clinic);

    expect(await readStored(clinic)).toEqual([ERASED_TEXT_PLACEHOLDER, ERASED_TEXT_PLACEHOLDER]);
    expect(await readStored(other)).toEqual(kept);
    const shown = new Map((await list()).map((access) => [access.id, access]));
    expect(accesses.map((access) => shown.get(access.id)!.reason)).toEqual([
      ERASED_TEXT_PLACEHOLDER,
      ERASED_TEXT_PLACEHOLDER,
      REASON,
    ]);
    for (const { id, administrator } of accesses) expect(shown.get(id)!.administrator).toBe(administrator);
  });

  it('a retry of the request that has opened an access does not get the reason from its stored answer', async () => {
    const openWithKey = async ({ clinicId }: ClinicFixture) => {
      const headers = { 'idempotency-key': `key-${clinicId}` };
      const body = { clinicId, reason: REASON };
      return app.call('POST', `${ADMIN}/administrator-access`, { token: admin, body, headers });
    };
    for (const one of [clinic, other]) expect((await openWithKey(one)).status).toBe(201);
    await erase(clinic);
    expect((await openWithKey(clinic)).status).toBe(422);
    const kept = await openWithKey(other);
    expect([kept.status, kept.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
  });
});
