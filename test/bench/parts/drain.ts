import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { ALL_CORES } from '../run/machine.js';
import { requireAtLeast, type BenchmarkContext, type BenchmarkPart } from '../run/section.js';
import { PRODUCT_VARIANT, ServerProcess } from '../run/server.js';
import { computeFigure, type MedianAndRange } from '../run/statistics.js';
import { formatRounded, formatSpread } from '../run/table.js';
import { fillJobs } from './jobs.js';
import { fillReminders, insertPeople } from './reminders.js';

const REMINDERS = 'drain';
const JOBS = 'drain_jobs';
const QUEUE_WORKER = 'dist/test/bench/parts/queue-worker.js';
const WRITES_WORKER = 'dist/test/bench/parts/writes-worker.js';
/** Maximum time that a run waits until the service has sent all due reminders. */
const PATIENCE_MS = 900_000;

type Contender = { name: string; title: string; measure: (bench: BenchmarkContext, copy: string) => Promise<number> };

const CONTENDERS: readonly Contender[] = [
  { name: 'product × 1', title: 'one instance', measure: (bench, copy) => drainProduct(bench, copy, 1) },
  { name: 'product × 2', title: 'two instances', measure: (bench, copy) => drainProduct(bench, copy, 2) },
  { name: 'writes × 1', title: 'only the writes, one process', measure: drainWrites },
  { name: 'pg-boss × 1', title: 'one process', measure: (bench, copy) => drainQueue(bench, copy, 1) },
  { name: 'pg-boss × 2', title: 'two processes', measure: (bench, copy) => drainQueue(bench, copy, 2) },
];

/** Measures how many due reminders per second the service delivers, compared with the queue alone. */
export const drainPart: BenchmarkPart = {
  name: 'drain',
  title: 'Reminder drain',
  async run(bench) {
    const { database, options, tell } = bench;
    await fill(bench);
    database.useCores(ALL_CORES);
    const rates = new Map(CONTENDERS.map(({ name }): [string, number[]] => [name, []]));
    const all = options.drainRounds * CONTENDERS.length;
    let done = 0;
    for (let round = 1; round <= options.drainRounds; round += 1)
      for (const { name, measure } of round % 2 === 1 ? CONTENDERS : CONTENDERS.toReversed()) {
        tell(`drain: ${name}, round ${round} of ${options.drainRounds}`, done, all);
        rates.get(name)!.push(await measure(bench, `drain_${(done += 1)}`));
      }
    database.useCores(undefined);
    for (const name of [REMINDERS, JOBS]) await database.drop(name);
    return sectionOf(new Map([...rates].map(([name, own]) => [name, computeFigure(own)])), options);
  },
};

async function fill({ database, options: { due, pending }, tell }: BenchmarkContext): Promise<void> {
  const owner = await database.connect(await database.create(REMINDERS));
  tell(`drain: ${formatRounded(due)} people`);
  await insertPeople(owner, due);
  // The reminders that will become due are inserted among others that stay pending.
  const range = { from: 1, to: pending, people: due, sendAt: `now() + interval '300 days'` };
  await fillReminders(owner, range, (done) =>
    tell(`drain: ${formatRounded(done)} of ${formatRounded(pending)} reminders`),
  );
  await owner.query('vacuum analyze');
  await owner.end();
  tell(`drain: ${formatRounded(due)} jobs`);
  await fillJobs(await database.create(JOBS), due);
}

/** @returns reminders per second, from the first claim to the last outcome */
async function drainProduct({ database, options }: BenchmarkContext, copy: string, instances: number): Promise<number> {
  const owner = await database.connect(await database.create(copy, REMINDERS));
  const servers: ServerProcess[] = [];
  try {
    for (let instance = 0; instance < instances; instance += 1)
      servers.push(
        await ServerProcess.start(PRODUCT_VARIANT, database.urlOf(copy), {
          // The reminders go to the log channel, whose messages the log level suppresses, so nothing is delivered.
          environment: { REMINDER_CRON: '* * * * * *', LOG_LEVEL: 'error' },
          cores: ALL_CORES,
        }),
      );
    await makeDue(owner, options.due);
    return await rateOnceDrained(owner, options.due);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await owner.end();
    await database.drop(copy);
  }
}

async function makeDue(owner: pg.Client, due: number): Promise<void> {
  await owner.query(`update reminder set send_at = now(), due_at = now() where id <= ${due}`);
}

/** @returns reminders per second of the writes alone, without the service: the limit of this schema and this queue */
async function drainWrites({ database, options: { due } }: BenchmarkContext, copy: string): Promise<number> {
  const url = await database.create(copy, REMINDERS);
  const owner = await database.connect(url);
  await makeDue(owner, due);
  await owner.end();
  const span = await runWorker(WRITES_WORKER, url);
  await database.drop(copy);
  return toRate([span], due);
}

/** Waits until no reminder is due or in the queue. */
export async function waitUntilDrained(owner: pg.Client): Promise<void> {
  const begin = performance.now();
  for (let waits = true; waits && performance.now() - begin < PATIENCE_MS;) {
    await wait(300);
    // Both queries use a partial index that is empty at the end.
    const { rows } = await owner.query<{ waits: boolean }>(`
      select exists (select from reminder where status = 'PENDING' and send_at <= now())
        or exists (select from reminder where status = 'QUEUED') as waits`);
    waits = rows[0]!.waits;
  }
}

async function rateOnceDrained(owner: pg.Client, due: number): Promise<number> {
  await waitUntilDrained(owner);
  const { rows } = await owner.query<{ sent: number; seconds: number }>(`
    select count(*)::int as sent, extract(epoch from max(settled_at) - min(queued_at))::float8 as seconds
      from reminder where id <= ${due} and status = 'SENT'`);
  const { sent, seconds } = rows[0]!;
  if (sent < due) throw new Error(`Of ${due} reminders that were due only ${sent} were sent`);
  return due / seconds;
}

/** @returns jobs per second that pg-boss fetches and completes, in batches of 500 */
async function drainQueue({ database, options }: BenchmarkContext, copy: string, processes: number): Promise<number> {
  const url = await database.create(copy, JOBS);
  const spans = await Promise.all(Array.from({ length: processes }, () => runWorker(QUEUE_WORKER, url)));
  await database.drop(copy);
  return toRate(spans, options.due);
}

type Span = { done: number; begin: number; end: number };

function toRate(spans: readonly Span[], expected: number): number {
  const done = spans.reduce((sum, span) => sum + span.done, 0);
  if (done !== expected) throw new Error(`Of ${expected} jobs ${done} were done`);
  return done / ((Math.max(...spans.map(({ end }) => end)) - Math.min(...spans.map(({ begin }) => begin))) / 1000);
}

async function runWorker(entry: string, url: string): Promise<Span> {
  const child = spawn(process.execPath, [entry], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'close');
  return JSON.parse(output) as Span;
}

function sectionOf(found: Map<string, MedianAndRange>, { due, pending }: { due: number; pending: number }) {
  const rateOf = (name: string) => found.get(name)!.median;
  const queue = rateOf('pg-boss × 1');
  return {
    ...{ name: drainPart.name, title: `${drainPart.title}: ${formatRounded(due)} due among ${formatRounded(pending)}` },
    header: ['', 'per second', '(low–high)', 'of pg-boss × 1'],
    rows: [...found].map(([name, figure]) => [
      ...[name, formatRounded(figure.median), formatSpread(figure), (figure.median / queue).toFixed(2)],
    ]),
    charts: [
      {
        ...{ kind: 'bars' as const, title: 'Reminders that go out, jobs that are done', unit: '/s' },
        scale: 'shared' as const,
        groups: [{ name: formatRounded(due), bars: [...found].map(([name, figure]) => ({ name, figure })) }],
      },
    ],
    verdicts: [
      requireAtLeast('drain, one instance, of pg-boss alone', rateOf('product × 1') / queue, 0.35),
      requireAtLeast('drain, two instances, of one', rateOf('product × 2') / rateOf('product × 1'), 1.5),
    ],
    notes: [
      'Each reminder has its own recipient, so each is one message. Each recipient was reminded before. The product claims it, looks up recipient, preference and Session, ' +
        'writes the text, hands it to a channel that does nothing, and tells its story; pg-boss alone fetches empty jobs by 500 and completes them.',
      'The writes alone claim reminders, insert, fetch and complete their jobs and mark them as sent, in batches of 500. They show what is possible with these tables.',
      'All processes share all cores here.',
    ],
    figures: Object.fromEntries(found),
  };
}
