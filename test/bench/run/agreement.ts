import type pg from 'pg';
import { isDeepStrictEqual } from 'node:util';
import type { BenchmarkDatabase } from './database.js';
import { seedDatabase } from './seed.js';
import {
  COMMON_VARIANT,
  PRODUCT_VARIANT,
  servesWorkload,
  ServerProcess,
  YARDSTICK_VARIANT,
  type ServiceVariant,
} from './server.js';
import { RequestGenerator, WORKLOADS, type Workload } from './workloads.js';

/*
 * Verifies that all variants do the same work, because a variant that leaves something out would be faster. Before
 * anything is measured, every variant and the reference get the same requests, each on a copy of a small database. The
 * responses and then all rows of all tables must be the same.
 */

const BLOCKS = [
  { clinics: 1, sessions: 500 },
  { clinics: 4, sessions: 100 },
];
const CALLS_OF_EACH = 5;
/**
 * Tables that are not compared. The rows of `instance` are heartbeats of processes, which do not depend on requests.
 */
const WITHOUT_MEANING = ['instance'];
let copies = 0;

/** The result of the requests to one variant: the responses, and afterwards the rows of each table. */
type Outcome = { answers: Map<string, unknown>; tables: Map<string, unknown> };

/**
 * Compares the yardstick and the common way with the service in all workloads.
 *
 * @throws Error that describes the first difference
 */
export async function requireAgreement(database: BenchmarkDatabase): Promise<void> {
  const reference = PRODUCT_VARIANT;
  const variants = [YARDSTICK_VARIANT, COMMON_VARIANT];
  // The mixed workload has the requests of the others.
  const workloads = WORKLOADS.filter(({ name }) => name !== 'mixed');
  const template = await database.create('agreement');
  const owner = await database.connect(template);
  await seedDatabase(owner, BLOCKS);
  const tables = await tablesOf(owner);
  await owner.end();
  // The rows depend on all requests, so the reference must get exactly the requests that a variant serves. This is done
  // once for all variants with the same operations.
  const byCalls = Map.groupBy(variants, (variant) => variant.serves?.join());
  for (const own of byCalls.values()) {
    const served = workloads.filter(({ name }) => servesWorkload(own[0]!, name));
    const expected = await outcomeOf(database, reference, served, tables);
    for (const variant of own) {
      const found = await outcomeOf(database, variant, served, tables);
      requireSame(variant, found, reference, expected);
    }
  }
}

function requireSame(variant: ServiceVariant, found: Outcome, reference: ServiceVariant, expected: Outcome): void {
  for (const part of ['answers', 'tables'] as const)
    for (const [key, value] of expected[part]) {
      if (isDeepStrictEqual(found[part].get(key), value)) continue;
      const told = difference(found[part].get(key), value);
      throw new Error(`${variant.name} and ${reference.name} differ in ${part} of ${key}: ${told}`);
    }
}

async function outcomeOf(
  database: BenchmarkDatabase,
  variant: ServiceVariant,
  workloads: readonly Workload[],
  tables: readonly string[],
): Promise<Outcome> {
  const copy = `agreement_${(copies += 1)}`;
  const ownerUrl = await database.create(copy, 'agreement');
  const owner = await database.connect(ownerUrl);
  const server = await ServerProcess.start(variant, database.urlOf(copy));
  try {
    const answers = new Map<string, unknown>();
    const scene = await RequestGenerator.of(owner, BLOCKS);
    for (const workload of workloads) {
      scene.restart(1);
      const source = await workload.open(scene);
      for (let call = 1; call <= CALLS_OF_EACH; call += 1) {
        const { path, ...init } = source();
        const answer = await fetch(server.url + path, init);
        answers.set(`${workload.name} ${call}`, {
          status: answer.status,
          ...told(await answer.text(), answer.headers),
        });
      }
    }
    const contents = new Map<string, unknown>();
    for (const table of tables) contents.set(table, await contentOf(owner, table));
    return { answers, tables: contents };
  } finally {
    await server.stop();
    await owner.end();
  }
}

function told(text: string, headers: Headers) {
  const location = headers.get('location');
  // A weak tag is only a digest of the body, and the body is compared below.
  const etag = headers.get('etag');
  const shown = { etag: etag?.startsWith('W/') ? null : etag, location: location && without(location) };
  return { ...shown, body: text === '' ? '' : (JSON.parse(without(text)) as unknown) };
}

async function contentOf(owner: pg.Client, table: string): Promise<unknown[]> {
  const { rows } = await owner.query<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t`);
  return rows.map(({ row }) => without(row)).sort();
}

/** Removes values that differ in each run: random IDs, transaction IDs, and the time of the request. */
function without(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid')
    .replaceAll(/("changed_in": ?)\d+/g, '$1"transaction"')
    .replaceAll(TODAY_OR_REMINDED, 'moment');
}

/**
 * Matches the day of the run, and the day on which `remindDays` reminders are due. All planned days are in other years.
 */
const TODAY_OR_REMINDED = (() => {
  const today = Temporal.Now.plainDateISO('UTC');
  const days = [-1, 0, 1, 6, 7, 8].map((count) => today.add({ days: count }).toString());
  return new RegExp(`(${days.join('|')})T[0-9:.]+(Z|[+-]00:00)`, 'g');
})();

async function tablesOf(owner: pg.Client): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_name <> all($1)
     order by 1`,
    [WITHOUT_MEANING],
  );
  return rows.map(({ name }) => name);
}

function difference(found: unknown, expected: unknown): string {
  if (!Array.isArray(found) || !Array.isArray(expected))
    return `${JSON.stringify(found)} / ${JSON.stringify(expected)}`;
  const [missing] = expected.filter((row) => !found.includes(row)) as unknown[];
  const [extra] = found.filter((row) => !expected.includes(row)) as unknown[];
  return `${found.length} and ${expected.length} rows, of them\n${String(extra)}\n${String(missing)}`;
}
