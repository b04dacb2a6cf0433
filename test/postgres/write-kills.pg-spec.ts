import pg from 'pg';
import { ServiceFleet } from '../support/process/service-fleet.js';
import {
  createMigratedDatabase,
  startPostgresqlServer,
  type PostgresqlServer,
} from '../support/database/postgresql.setup.js';
import { repetitionCount } from '../support/app/repetitions.js';
import { TEST_JWT_SECRET, waitFor } from '../support/app/test-app.js';
import { RetryingWriter, insertParticipants, type AcknowledgedWrite } from '../support/process/retrying-writer.js';
import {
  findAuditMismatches,
  countAuditedMoves,
  expectedMoves,
  readPlans,
  expectedPlans,
  readSeries,
  expectedSeries,
} from '../support/process/written-rows.js';
import { runCommandInProcess } from '../support/process/cli-command.js';

/*
 * Kills instances and restarts PostgreSQL (pg_ctl -m immediate) repeatedly, while clients write and retry requests that
 * get no response. KILLS=20 runs the full size.
 */

const KILLS = repetitionCount('KILLS', 2, 20);
const WRITERS = 6;
/** Number of acknowledged titles between two faults. Each title requires four writes. */
const BETWEEN = 12;

let server: PostgresqlServer;
let url: string;
let fleet: ServiceFleet;
let writers: RetryingWriter[];
let work: Promise<unknown>;
/** Results of the previous tests. */
const earlier: AcknowledgedWrite[] = [];
let earlierWriters = 0;
beforeAll(async () => {
  server = await startPostgresqlServer();
  url = await createMigratedDatabase(server.url, 'care');
  await asOwner((client) => insertParticipants(client, FAULTS.length * WRITERS));
  const DATABASE_URL = Object.assign(new URL(url), { username: 'scheduling_app', password: 'scheduling_app' }).href;
  fleet = new ServiceFleet({ DATABASE_URL, AUDIT_CRON: '* * * * * *' });
  await Promise.all([fleet.add(), fleet.add()]);
});
afterAll(async () => {
  await fleet.stop();
  await server.stop();
});

async function asOwner<T>(ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}

const acknowledged = () => [...earlier, ...writers.flatMap((writer) => writer.acknowledged)];

const FAULTS: [name: string, fault: () => Promise<void>][] = [
  ['kills of an instance', killOne],
  ['restarts of PostgreSQL', () => server.restart()],
];
it.each(FAULTS)(
  `${KILLS} %s: what was acknowledged is there once, with its entry of the audit trail`,
  async (name, fault) => {
    // Each test has its own Clients, because their numbers are part of the titles.
    writers = Array.from(
      { length: WRITERS },
      (_, index) => new RetryingWriter(earlierWriters + index + 1, () => fleet.nextUrl()),
    );
    earlierWriters += WRITERS;
    work = Promise.all(writers.map((writer) => writer.run()));
    for (let faults = 0; faults < KILLS; faults += 1) {
      const enough = acknowledged().length + BETWEEN;
      await waitFor(() => acknowledged().length >= enough);
      await fault();
    }
    for (const writer of writers) writer.finish();
    await work;

    expect(writers.flatMap(({ unexpectedResponses }) => unexpectedResponses)).toEqual([]);
    await asOwner(async (client) => {
      expect(await readPlans(client)).toEqual(expectedPlans(acknowledged()));
      expect(await readSeries(client)).toEqual(expectedSeries(acknowledged()));
      expect(await findAuditMismatches(client)).toEqual([]);
      expect(await countAuditedMoves(client)).toEqual(expectedMoves(acknowledged()));
      await waitFor(async () => (await client.query('select from audit_unsealed')).rowCount === 0);
    });
    const verified = await verifyAudit();
    const [sent, again] = [sumOf('requestCount'), sumOf('retryCount')];
    process.stdout.write(
      `${KILLS} ${name}: ${sent} requests, ${again} of them not answered and sent again, ` +
        `${acknowledged().length * 4} writes, each there once; audit-verify: ${verified}\n`,
    );
    expect(again).toBeGreaterThan(0);
    earlier.push(...writers.flatMap((writer) => writer.acknowledged));
  },
  1_200_000,
);

async function killOne(): Promise<void> {
  await fleet.removeRandom().terminate('SIGKILL');
  await fleet.add();
}

function sumOf(what: 'requestCount' | 'retryCount'): number {
  return writers.reduce((sum, writer) => sum + writer[what], 0);
}

/** Runs the command and returns the last line that it prints. Throws if the command fails. */
async function verifyAudit(): Promise<string> {
  const variables = { DATABASE_URL: url, JWT_SECRET: TEST_JWT_SECRET };
  const { status, stdout, stderr } = await runCommandInProcess('audit-verify', [], variables);
  if (status !== 0) throw new Error(stdout + stderr);
  return stdout.trimEnd().split('\n').at(-1)!;
}
