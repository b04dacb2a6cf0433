import { createApplication } from '../../../src/app.setup.js';
import { ReminderDispatcher } from '../../../src/reminder/index.js';
import { readEnvironment } from '../../../src/shared/config/env.js';
import { JWT_SECRET } from '../run/database.js';
import { requireAtMost, type BenchmarkPart } from '../run/section.js';
import { computeFigure, quantile, type MedianAndRange } from '../run/statistics.js';
import { formatRounded } from '../run/table.js';
import { fillReminders, insertPeople } from './reminders.js';

const TICKS = 200;
const WARM_UP = 20;
const NEVER = '0 0 0 1 1 *';

type Ticks = { pending: number; milliseconds: MedianAndRange; p99: number };

/** Measures the cost of a search for due reminders that finds none, with a growing number of later reminders. */
export const idlePart: BenchmarkPart = {
  name: 'idle',
  title: 'Idle tick of the dispatcher',
  async run({ database, options, tell }) {
    const owner = await database.connect(await database.create('idle'));
    await insertPeople(owner, 10_000);
    const found: Ticks[] = [];
    let there = 0;
    for (const pending of options.idleSizes) {
      const range = { from: there + 1, to: pending, people: 10_000, sendAt: `now() + interval '30 days'` };
      await fillReminders(owner, range, (done) =>
        tell(`idle: ${formatRounded(done)} of ${formatRounded(pending)} reminders`),
      );
      there = pending;
      await owner.query('vacuum analyze reminder');
      await owner.query('checkpoint');
      tell(`idle: ${TICKS} ticks over ${formatRounded(pending)}`);
      found.push({ pending, ...(await measureTicks(database.urlOf('idle'))) });
    }
    await owner.end();
    await database.drop('idle');
    const [first, last] = [found[0]!, found.at(-1)!];
    const growth = last.milliseconds.median / first.milliseconds.median;
    return {
      ...{ name: idlePart.name, title: idlePart.title, figures: found },
      header: ['pending reminders', 'median ms', '(low–high)', 'p99 ms'],
      rows: found.map(({ pending, milliseconds: { median, low, high }, p99 }) => [
        ...[formatRounded(pending), median.toFixed(2), `(${low.toFixed(2)}–${high.toFixed(2)})`, p99.toFixed(2)],
      ]),
      charts: [
        {
          ...{ kind: 'bars', title: 'One tick, nothing due', unit: 'ms', scale: 'shared' },
          groups: [
            {
              name: 'Reminders that wait',
              bars: found.map(({ pending, milliseconds }) => ({ name: formatRounded(pending), figure: milliseconds })),
            },
          ],
        },
      ],
      verdicts:
        found.length < 2
          ? []
          : [
              requireAtMost(
                `idle tick, ${formatRounded(last.pending)} pending to ${formatRounded(first.pending)}`,
                growth,
                3,
              ),
            ],
      notes: [
        `The product's own dispatcher, in the process of the benchmark: the whole transaction, of ${TICKS} ticks. Low and high are their quartiles.`,
      ],
    };
  },
};

async function measureTicks(url: string): Promise<Omit<Ticks, 'pending'>> {
  const variables = { DATABASE_URL: url, JWT_SECRET, LOG_LEVEL: 'silent', REMINDER_CRON: NEVER, AUDIT_CRON: NEVER };
  const app = await createApplication(readEnvironment(variables));
  try {
    const dispatcher = app.get(ReminderDispatcher, { strict: false });
    const times: number[] = [];
    for (let tick = 0; tick < WARM_UP + TICKS; tick += 1) {
      const begin = performance.now();
      const dispatched = await dispatcher.dispatchDue();
      if (dispatched > 0) throw new Error('Something was due');
      if (tick >= WARM_UP) times.push(performance.now() - begin);
    }
    const { median } = computeFigure(times);
    return {
      milliseconds: { median, low: quantile(times, 0.25), high: quantile(times, 0.75) },
      p99: quantile(times, 0.99),
    };
  } finally {
    await app.close();
  }
}
