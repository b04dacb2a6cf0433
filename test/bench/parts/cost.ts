import type pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import type { BenchmarkDatabase } from '../run/database.js';
import { sendAll } from '../run/load.js';
import { ALL_CORES, residentBytes } from '../run/machine.js';
import type { BenchmarkContext, BenchmarkPart } from '../run/section.js';
import { PRODUCT_VARIANT, ServerProcess } from '../run/server.js';
import { formatRounded } from '../run/table.js';
import { WORKLOADS, type RequestGenerator, type Workload } from '../run/workloads.js';
import { waitUntilDrained } from './drain.js';
import { fillReminders, insertPeople } from './reminders.js';

/** Callers at the same time, few enough that no request waits for a connection. */
const CALLERS = 8;
const WARM_UP_CALLS = 500;
const IDLE_MS = 30_000;
const REMINDERS = 'cost_reminders';
const SEALS = 'cost_seals';
const ENTRIES = 50_000;
const SEALED_CLINICS = [10, 1_000];
const TABLES = ['session', 'homework', 'reminder', 'audit_entry', 'design_plan'];

/** Readings of the CPU time in microseconds, and of the write-ahead log and of all tables in bytes. */
type Readings = { serviceCpu: number; databaseCpu: number; log: number; storage: number };
/** The cost of one unit of work, and how many were done in a second. */
type Cost = Readings & { name: string; perSecond: number };

/** Measures what a request, a delivered reminder and an idle second cost the service, the database and its disk. */
export const cost: BenchmarkPart = {
  name: 'cost',
  title: 'What one request costs each component',
  async run(bench) {
    const costs = await costsOfRequests(bench);
    for (const clinics of SEALED_CLINICS) costs.push(await costOfSeal(bench, clinics));
    costs.push(await costOfIdleSecond(bench), await costOfReminder(bench));
    const rows = await readRowSizes(bench.database.owner);
    return {
      ...{ name: cost.name, title: cost.title, figures: { costs, rows } },
      header: ['', 'service CPU µs', 'database CPU µs', 'log bytes', 'storage bytes', 'a second'],
      rows: costs.map(({ name, serviceCpu, databaseCpu, log, storage, perSecond }) => [
        ...[
          name,
          formatRounded(serviceCpu),
          formatRounded(databaseCpu),
          formatRounded(log),
          formatRounded(storage),
          formatRounded(perSecond),
        ],
      ]),
      charts: [],
      verdicts: [],
      notes: [
        `${bench.options.costCalls} calls of each operation by ${CALLERS} callers. The log contains the full pages of first changes after a checkpoint.`,
        ...rows.map(
          ({ table, rows: number, bytes }) =>
            `A row of ${table} has ${formatRounded(bytes)} bytes with its indexes, on average of ${formatRounded(number)}.`,
        ),
      ],
    };
  },
};

async function costsOfRequests({ database, options, tell, scene }: BenchmarkContext): Promise<Cost[]> {
  const given = await scene();
  const server = await ServerProcess.start(PRODUCT_VARIANT, database.urlOf());
  const operations = WORKLOADS.filter(({ name }) => name !== 'mixed');
  const costs: Cost[] = [];
  for (const [index, workload] of operations.entries()) {
    tell(`cost: ${workload.name}`, index, operations.length);
    costs.push(await costOfRequest(database, server, given, workload, options.costCalls));
  }
  await server.stop();
  return costs;
}

async function costOfRequest(
  database: BenchmarkDatabase,
  server: ServerProcess,
  scene: RequestGenerator,
  workload: Workload,
  calls: number,
): Promise<Cost> {
  scene.restart(23);
  const source = await workload.open(scene);
  await database.runMaintenance();
  await sendAll(server.url, source, WARM_UP_CALLS, CALLERS);
  const meter = await Meter.start(database, database.owner, server);
  await sendAll(server.url, source, calls, CALLERS);
  await database.waitUntilQuiet();
  return meter.read(workload.name, calls);
}

/** Only one instance seals at a time, so the rate is the limit of an installation. @param clinics in one batch */
async function costOfSeal({ database, tell }: BenchmarkContext, clinics: number): Promise<Cost> {
  tell(`cost: seals of ${formatRounded(clinics)} Clinics`);
  const owner = await database.connect(await database.create(SEALS));
  await owner.query('set session_replication_role = replica');
  await owner.query(`
    insert into audit_entry (clinic_id, at, actor_role, access, operation, records, record_count, request_id, address, outcome)
      select 1 + n % ${clinics}, now() - interval '1 hour' + n * interval '1 ms', 'CLINIC', 'READ',
        'GET /gateway/profile/clinic/session/{id}', array['session/' || n], 1, gen_random_uuid(), '127.0.0.1', 'OK'
      from generate_series(1, ${ENTRIES}) n;
    insert into audit_unsealed (entry_id, at) select id, at from audit_entry on conflict do nothing;
    analyze`);
  const sealing = await ServerProcess.start(PRODUCT_VARIANT, database.urlOf(SEALS), {
    environment: { AUDIT_CRON: '* * * * * *' },
  });
  const meter = await Meter.start(database, owner, sealing);
  const entries = await countUnsealed(owner);
  while ((await countUnsealed(owner)) > 0) await wait(50);
  const found = await meter.read(`seal of an entry, ${formatRounded(clinics)} Clinics in a batch`, entries);
  await sealing.stop();
  await owner.end();
  await database.drop(SEALS);
  return found;
}

async function countUnsealed(owner: pg.Client): Promise<number> {
  const { rows } = await owner.query<{ count: number }>('select count(*)::int as count from audit_unsealed');
  return rows[0]!.count;
}

async function costOfReminder({ database, options, tell }: BenchmarkContext): Promise<Cost> {
  const owner = await database.connect(await database.create(REMINDERS));
  const due = options.costReminders;
  tell('cost: reminders');
  await insertPeople(owner, due);
  const range = { from: 1, to: due, people: due, sendAt: `now() + interval '300 days'` };
  await fillReminders(owner, range, () => undefined);
  await owner.query('vacuum analyze');
  const environment = { REMINDER_CRON: '* * * * * *', LOG_LEVEL: 'error' };
  const server = await ServerProcess.start(PRODUCT_VARIANT, database.urlOf(REMINDERS), {
    environment,
    cores: ALL_CORES,
  });
  const meter = await Meter.start(database, owner, server);
  await owner.query('update reminder set send_at = now(), due_at = now()');
  await waitUntilDrained(owner);
  const found = await meter.read('reminder', due);
  await server.stop();
  await owner.end();
  await database.drop(REMINDERS);
  return found;
}

/** With the default intervals of all jobs. */
async function costOfIdleSecond({ database, tell }: BenchmarkContext): Promise<Cost> {
  tell('cost: an idle instance');
  const environment = { REMINDER_CRON: '*/5 * * * * *', AUDIT_CRON: '*/5 * * * * *' };
  const server = await ServerProcess.start(PRODUCT_VARIANT, database.urlOf(), { environment });
  await wait(IDLE_MS / 3);
  const meter = await Meter.start(database, database.owner, server);
  await wait(IDLE_MS);
  const found = await meter.read(
    `idle second (${formatRounded(residentBytes(server.pid) / 2 ** 20)} MiB)`,
    IDLE_MS / 1000,
  );
  await server.stop();
  return found;
}

/** Reads the meters of a service and of its database before and after some work. */
class Meter {
  private constructor(
    private readonly database: BenchmarkDatabase,
    private readonly owner: pg.Client,
    private readonly server: ServerProcess,
    private readonly before: Readings,
    private readonly begin = performance.now(),
  ) {}

  static async start(database: BenchmarkDatabase, owner: pg.Client, server: ServerProcess): Promise<Meter> {
    return new Meter(database, owner, server, await readMeters(database, owner, server));
  }

  async read(name: string, units: number): Promise<Cost> {
    const after = await readMeters(this.database, this.owner, this.server);
    const perSecond = units / ((performance.now() - this.begin) / 1000);
    const per = (key: keyof typeof after) => (after[key] - this.before[key]) / units;
    return {
      ...{ name, serviceCpu: per('serviceCpu'), databaseCpu: per('databaseCpu') },
      ...{ log: per('log'), storage: per('storage'), perSecond },
    };
  }
}

async function readMeters(database: BenchmarkDatabase, owner: pg.Client, server: ServerProcess): Promise<Readings> {
  const { rows } = await owner.query<{ log: string; storage: string }>(`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as log,
      (select sum(pg_total_relation_size(oid)) from pg_class where relkind = 'r' and relnamespace not in (
        select oid from pg_namespace where nspname like 'pg\\_%' or nspname = 'information_schema')) as storage`);
  const { log, storage } = rows[0]!;
  return { serviceCpu: server.cpu, databaseCpu: database.cpu, log: Number(log), storage: Number(storage) };
}

type RowSize = { table: string; rows: number; bytes: number };

async function readRowSizes(owner: pg.Client): Promise<RowSize[]> {
  const sizes: RowSize[] = [];
  for (const table of TABLES) {
    const { rows } = await owner.query<{ count: number; bytes: string }>(
      `select (select count(*)::int from ${table}), pg_total_relation_size('${table}') + coalesce((
        select sum(pg_total_relation_size(relid)) from pg_partition_tree('${table}') where isleaf and level > 0), 0) as bytes`,
    );
    const { count: number, bytes } = rows[0]!;
    sizes.push({ table, rows: number, bytes: Number(bytes) / Math.max(1, number) });
  }
  return sizes;
}
