import pg from 'pg';
import { signToken } from '../../src/auth/index.js';
import { ServiceFleet } from '../support/process/service-fleet.js';
import type { ServiceProcess } from '../support/process/service-process.js';
import {
  createMigratedDatabase,
  startPostgresqlServer,
  type PostgresqlServer,
} from '../support/database/postgresql.setup.js';
import { testEnvironment, waitFor } from '../support/app/test-app.js';
import { createTestKeys, removeTestKeys, toKeyVariables } from '../support/app/test-keys.js';

/* Tests the failover to a replica that lacked the last transactions of the primary. */

let primary: PostgresqlServer;
let replica: PostgresqlServer;
let server: pg.Client;
let fleet: ServiceFleet;
const encryption = createTestKeys();
beforeAll(async () => {
  primary = await startPostgresqlServer(['fsync=off']);
  const owner = new pg.Client({ connectionString: await createMigratedDatabase(primary.url, 'care') });
  await owner.connect();
  await owner.query(`
    insert into clinic (name, time_zone, active, created_at) select 'C', 'Europe/London', true, now() from generate_series(1, 2)`);
  await owner.end();
  replica = await primary.createReplica();
  server = new pg.Client({ connectionString: Object.assign(new URL(replica.url), { pathname: '/care' }).href });
  await server.connect();
  const hosts = [primary, replica].map(({ url }) => new URL(url).host).join(',');
  fleet = new ServiceFleet({
    ...toKeyVariables(encryption),
    DATABASE_URL: `postgres://scheduling_app:scheduling_app@${hosts}/care?target_session_attrs=read-write`,
  });
  await Promise.all([fleet.add(), fleet.add()]);
  // The set-up starts two servers and two instances, which takes long on a busy machine.
});
afterAll(async () => {
  await server.end();
  await fleet.stop();
  await replica.stop();
  await primary.stop();
  removeTestKeys(encryption);
});

async function create({ url }: ServiceProcess, clinicId: number): Promise<number> {
  const token = await signToken(testEnvironment.token, { role: 'CLINIC', id: clinicId });
  const response = await fetch(`${url}/gateway/profile/clinic/design-plan`, {
    method: 'POST',
    headers: { authorization: `bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ planName: 'A' }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function stopReplication(): Promise<void> {
  await server.query(`alter system set primary_conninfo = ''`);
  await server.query('select pg_reload_conf()');
  await waitFor(async () => (await server.query('select from pg_stat_wal_receiver')).rows.length === 0);
}

it('assigns no id twice, although the replica does not know which ids were reserved', async () => {
  const [first, second] = fleet.instances as [ServiceProcess, ServiceProcess];
  await stopReplication();
  expect(await create(first, 1)).toBe(201);
  await primary.kill();
  await server.query('select pg_promote()');
  for (const [instance, clinicId] of [
    [first, 1],
    [second, 2],
  ] as const) {
    await waitFor(async () => (await create(instance, clinicId)) === 201);
    for (let count = 0; count < 20; count += 1) expect(await create(instance, clinicId)).toBe(201);
  }
  const { rows } = await server.query('select id from design_plan group by id having count(*) > 1');
  expect(rows).toEqual([]);
});
