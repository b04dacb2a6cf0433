import { Agent } from 'node:http';
import type pg from 'pg';
import { sendRequest } from '../run/load.js';
import type { BenchmarkContext, BenchmarkPart } from '../run/section.js';
import { seedDatabase } from '../run/seed.js';
import { PRODUCT_VARIANT, ServerProcess } from '../run/server.js';
import { quantile, type MedianAndRange } from '../run/statistics.js';
import { formatRounded } from '../run/table.js';
import { RequestGenerator } from '../run/workloads.js';

const DATABASE = 'names';
const PATH = '/gateway/profile/clinic/client';
/** Number of Clinics of each size, because the first search of a Clinic can be measured only once. */
const CLINICS = 5;
const WARM_UP = 50;
const CALLS = 200;
/**
 * Time limit per size, in milliseconds. Slow searches, such as for a Clinic with more names than the cache holds, are
 * measured with fewer requests.
 */
const MAX_MS = 10_000;

/** The query of a search that one in six names matches. */
const SEARCH = 'name=jose&sort=name';
const QUERIES: Readonly<Record<string, string>> = {
  'list, without a search': '',
  search: SEARCH,
  'search, second page': `${SEARCH}&cursor=`,
  'search, nothing found': 'name=nobodyhere',
  'sorted by name': 'sort=name',
};
const FIRST_SEARCH = 'first search of a Clinic';
const IN_DATABASE = 'statement with ilike and order by';

type Named = { clients: number; milliseconds: Record<string, MedianAndRange> };

/** Measures searches by name, compared with a list without a search, for Clinics of several sizes (ADR 10). */
export const namesPart: BenchmarkPart = {
  name: 'names',
  title: 'Search of Clients by name, one call on one connection',
  async run(bench) {
    const { database, options, tell } = bench;
    const owner = await database.connect(await database.create(DATABASE));
    const blocks = [{ clinics: 1 + options.nameSizes.length * CLINICS, sessions: 0 }];
    await seedDatabase(owner, blocks);
    for (const [index, clients] of options.nameSizes.entries()) {
      tell(`names: ${CLINICS} Clinics with ${formatRounded(clients)} Clients`);
      await fillClients(owner, firstClinic(index), clients);
    }
    await owner.query('vacuum analyze');
    await owner.query('checkpoint');
    const found = await measureSizes(bench, owner, await RequestGenerator.of(owner, blocks));
    await owner.end();
    await database.drop(DATABASE);
    return sectionOf(found);
  },
};

/** Returns the ID of the first Clinic of a size. Clinic 1 only warms the service up. */
const firstClinic = (size: number) => 2 + size * CLINICS;

async function fillClients(owner: pg.Client, first: number, clients: number): Promise<void> {
  await owner.query(`
    insert into client (clinic_id, name, active, created_at)
      select c, (array['José', 'Anna', 'Łukasz', 'Zoë', 'Marie', 'Ivan'])[1 + n % 6] || ' ' || left(md5(n::text), 12), true,
        now() + n * interval '1 ms'
      from generate_series(${first}, ${first + CLINICS - 1}) c, generate_series(1, ${clients}) n`);
}

async function measureSizes(
  { database, options: { nameSizes }, tell }: BenchmarkContext,
  owner: pg.Client,
  scene: RequestGenerator,
): Promise<Named[]> {
  const server = await ServerProcess.start(PRODUCT_VARIANT, database.urlOf(DATABASE));
  try {
    await timesOf(server, scene, 1, SEARCH, CALLS);
    const found: Named[] = [];
    for (const [index, clients] of nameSizes.entries()) {
      tell(`names: ${formatRounded(clients)} Clients`, index, nameSizes.length);
      const clinic = firstClinic(index);
      const first: number[] = [];
      for (let other = 0; other < CLINICS; other += 1)
        first.push(...(await timesOf(server, scene, clinic + other, SEARCH, 1)));
      const milliseconds: Named['milliseconds'] = { [FIRST_SEARCH]: toFigure(first) };
      for (const [name, query] of Object.entries(QUERIES)) {
        const whole = query.endsWith('cursor=') ? query + (await cursorOf(server, scene, clinic)) : query;
        const times = await timesOf(server, scene, clinic, whole, WARM_UP + CALLS);
        milliseconds[name] = toFigure(times.slice(-CALLS));
      }
      milliseconds[IN_DATABASE] = toFigure(await timesInDatabase(owner, clinic));
      found.push({ clients, milliseconds });
    }
    return found;
  } finally {
    await server.stop();
  }
}

async function timesOf(
  { url }: ServerProcess,
  scene: RequestGenerator,
  clinic: number,
  query: string,
  calls: number,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = { method: 'GET' as const, path: `${PATH}?${query}`, headers: scene.clinicHeaders(clinic) };
  const times: number[] = [];
  const end = performance.now() + MAX_MS;
  for (let made = 0; made < calls && performance.now() < end; made += 1) {
    const begin = performance.now();
    if (!(await sendRequest(agent, url, call))) throw new Error(`?${query} fails`);
    times.push(performance.now() - begin);
  }
  agent.destroy();
  return times;
}

async function cursorOf({ url }: ServerProcess, scene: RequestGenerator, clinic: number): Promise<string> {
  const answer = await fetch(`${url}${PATH}?${SEARCH}`, { headers: scene.clinicHeaders(clinic) });
  return ((await answer.json()) as { nextCursor: string }).nextCursor;
}

async function timesInDatabase(owner: pg.Client, clinic: number): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < WARM_UP; call += 1) {
    const begin = performance.now();
    await owner.query(
      `select * from client where clinic_id = $1 and name ilike '%jos%' order by lower(name), id limit 51`,
      [clinic],
    );
    times.push(performance.now() - begin);
  }
  return times;
}

function toFigure(times: readonly number[]): MedianAndRange {
  return { median: quantile(times, 0.5), low: quantile(times, 0.25), high: quantile(times, 0.75) };
}

function sectionOf(found: readonly Named[]) {
  return {
    ...{ name: namesPart.name, title: namesPart.title, figures: found, verdicts: [], charts: [] },
    header: ['median ms (quartiles)', ...found.map(({ clients }) => `${formatRounded(clients)} Clients`)],
    rows: [...Object.keys(QUERIES), FIRST_SEARCH, IN_DATABASE].map((name) => [
      name,
      ...found.map(({ milliseconds }) => {
        const { median, low, high } = milliseconds[name]!;
        return `${median.toFixed(1)} (${low.toFixed(1)}–${high.toFixed(1)})`;
      }),
    ]),
    notes: [
      'Pages of 50. One in six names matches the search. The statement is what a search on plain text without an index would send; it is not the whole request.',
    ],
  };
}
