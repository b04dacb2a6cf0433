import pg from 'pg';
import { repetitionCount } from '../support/app/repetitions.js';
import { TEST_JWT_SECRET, waitFor } from '../support/app/test-app.js';
import { distributeDatabase, type CitusCluster } from '../support/database/citus.js';
import { startMigratedCluster, toServiceUrl } from '../support/database/own-cluster.js';
import { runCommandInProcess } from '../support/process/cli-command.js';
import { RetryingWriter, insertParticipants } from '../support/process/retrying-writer.js';
import { ServiceFleet } from '../support/process/service-fleet.js';
import {
  countAuditedMoves,
  expectedMoves,
  expectedPlans,
  expectedSeries,
  readPlans,
  readSeries,
} from '../support/process/written-rows.js';

/*
 * The coordinator crashes and starts again repeatedly, while clients write and retry requests that get no response, and
 * two instances deliver the reminders of what they have written. RESTARTS=10 runs the full size.
 */

const RESTARTS = repetitionCount('RESTARTS', 2, 10);
const WRITERS = 6;
/** Number of acknowledged titles between two restarts. Each title requires four writes. */
const BETWEEN = 8;

let cluster: CitusCluster;
let client: pg.Client;
let url: string;
let fleet: ServiceFleet;
beforeAll(async () => {
  ({ cluster, url } = await startMigratedCluster());
  distributeDatabase(url);
  await connect();
  await insertParticipants(client, WRITERS);
  fleet = new ServiceFleet({ DATABASE_URL: toServiceUrl(url), AUDIT_CRON: '* * * * * *', LOG_LEVEL: 'info' });
  await Promise.all([fleet.add(), fleet.add()]);
});
afterAll(async () => {
  await fleet.stop();
  await client.end();
  cluster.stop();
});

async function connect(): Promise<void> {
  client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
}

async function read<Row extends object>(statement: string): Promise<Row[]> {
  return (await client.query<Row>(statement)).rows;
}

it(`${RESTARTS} crashes of the coordinator: what was acknowledged is there once, and no message is sent twice`, async () => {
  const writers = Array.from({ length: WRITERS }, (_, index) => new RetryingWriter(index + 1, () => fleet.nextUrl()));
  const acknowledged = () => writers.flatMap((writer) => writer.acknowledged);
  const work = Promise.all(writers.map((writer) => writer.run()));
  for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
    const enough = acknowledged().length + BETWEEN;
    // Rows of an interrupted transaction are locked until Citus completes it or rolls it back, up to a minute later.
    await waitFor(() => acknowledged().length >= enough);
    cluster.nodes[0]!.kill();
    cluster.nodes[0]!.start();
  }
  for (const writer of writers) writer.finish();
  await work;
  await connect();

  expect(writers.flatMap(({ unexpectedResponses }) => unexpectedResponses)).toEqual([]);
  expect(writers.reduce((sum, { retryCount }) => sum + retryCount, 0)).toBeGreaterThan(0);
  expect(await readPlans(client)).toEqual(expectedPlans(acknowledged()));
  expect(await readSeries(client)).toEqual(expectedSeries(acknowledged()));
  expect(await countAuditedMoves(client)).toEqual(expectedMoves(acknowledged()));
  const entries = await read<{ record: string }>(
    `select unnest(records) as record from audit_entry where access = 'WRITE' and outcome = 'OK'`,
  );
  const audited = new Set(entries.map(({ record }) => record));
  const series = await read<{ record: string }>(`select 'series/' || id as record from session_series`);
  const plans = await read<{ record: string }>(`select 'design-plan/' || id as record from design_plan`);
  expect([...plans, ...series].filter(({ record }) => !audited.has(record))).toEqual([]);

  const unsent = `select id from reminder where status in ('PENDING', 'QUEUED')`;
  await waitFor(async () => (await read(unsent)).length === 0);
  const sent = await read<{ id: string }>(
    `select distinct message_id::text as id from reminder where status = 'SENT' order by 1`,
  );
  const delivered = fleet.instances.flatMap(({ deliveredMessageIds }) => deliveredMessageIds);
  expect(delivered.toSorted()).toEqual(sent.map(({ id }) => id));
  await waitFor(async () => (await read('select from audit_unsealed')).length === 0);
  const variables = { DATABASE_URL: url, JWT_SECRET: TEST_JWT_SECRET };
  expect(await runCommandInProcess('audit-verify', [], variables)).toMatchObject({ status: 0 });
  for (const instance of fleet.instances) expect((await fetch(`${instance.url}/health/ready`)).status).toBe(200);
}, 900_000);
