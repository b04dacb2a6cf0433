import { readFileSync } from 'node:fs';

/*
 * npm run bench:capacity -- FILE: prints the tables of docs/capacity.md from the figures that
 * `npm run bench -- --only cost --json FILE` has written.
 */

type Cost = {
  name: string;
  serviceCpu: number;
  databaseCpu: number;
  log: number;
  storage: number;
  perSecond: number;
};
type Report = { sections: { name: string; figures: { costs: Cost[] } }[] };

/** The assumed requests in a week of a Clinic of five Care Providers with twenty Sessions a week each. */
const WEEK = {
  plan: 1,
  sessions: 5,
  apply: 6,
  // Also the completion of 100 Sessions and of 150 items of homework, which cost no more.
  reschedule: 20 + 100 + 150,
  week: 250,
  'list-included': 200,
  list: 400,
  'get-plan': 200,
};
const REMINDERS_OF_WEEK = 500;
/** A week has 40 working hours. The busiest minutes have twice the average of these. */
const PEAK_SECONDS = (40 * 3600) / 2;
const UTILISATION = 0.6;
/** A third of a day's reminders is due in the same minute, and goes out within a quarter of an hour. */
const DUE_TOGETHER = REMINDERS_OF_WEEK / 5 / 3;
const DRAIN_SECONDS = 900;
/** Mails of one instance in a second while requests are served (docs/operations.md, "Limits and overload"). */
const MAILS_OF_INSTANCE = 35;
/**
 * CPU of service and database for one reminder, in microseconds: an upper bound. Two instances and the database have
 * sent 400 in a second on two cores.
 */
const REMINDER_CPU = 2_500;
const MICRO = 1e6;
const GB = 1e9;
const CLINICS = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('The file of `npm run bench -- --only cost --json FILE` is missing.');
const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
const costs = report.sections.find(({ name }) => name === 'cost')!.figures.costs;
const costOf = (prefix: string) => costs.find(({ name }) => name.startsWith(prefix))!;

const requests = Object.values(WEEK).reduce((sum, count) => sum + count, 0);
const seals = costOf('seal of an entry, 1,000');
const work: [number, Cost][] = [
  ...Object.entries(WEEK).map(([name, count]): [number, Cost] => [count, costs.find((one) => one.name === name)!]),
  [
    REMINDERS_OF_WEEK,
    { ...seals, name: 'reminder', serviceCpu: REMINDER_CPU, databaseCpu: REMINDER_CPU, log: 0, storage: 0 },
  ],
  [requests, seals],
];
const weekly = (key: keyof Omit<Cost, 'name'>) => work.reduce((sum, [count, cost]) => sum + count * cost[key], 0);

const format = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
const print = (cells: readonly string[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

print(['', 'service CPU µs', 'database CPU µs', 'log bytes', 'storage bytes', 'a second']);
for (const { name, serviceCpu, databaseCpu, log, storage, perSecond } of costs)
  print([name, ...[serviceCpu, databaseCpu, log, storage, perSecond].map(format)]);
process.stdout.write(
  `\nA Clinic in a week: ${requests} requests, ${format(weekly('serviceCpu') / MICRO)} s of the service, ` +
    `${format(weekly('databaseCpu') / MICRO)} s of the database, ${format(weekly('log') / 1e6)} MB of log, ` +
    `${format(weekly('storage') / 1e6)} MB of storage\n\n`,
);

print([
  'Clinics',
  'requests/s',
  'service cores',
  'instances',
  'database cores',
  'log GB/day',
  'storage GB/year',
  'seals',
  'mails/s',
]);
for (const clinics of CLINICS) {
  const cores = (key: 'serviceCpu' | 'databaseCpu') => (clinics * weekly(key)) / MICRO / PEAK_SECONDS / UTILISATION;
  const mails = (clinics * DUE_TOGETHER) / DRAIN_SECONDS;
  const instances = Math.max(2, Math.ceil(cores('serviceCpu')), Math.ceil(mails / MAILS_OF_INSTANCE));
  const sealed = (clinics * requests) / PEAK_SECONDS;
  print([
    ...[clinics, sealed, cores('serviceCpu'), instances, cores('databaseCpu')].map(format),
    ...[(clinics * weekly('log')) / 5 / GB, (clinics * weekly('storage') * 52) / GB].map(format),
    `${format((sealed / seals.perSecond) * 100)} %`,
    format(mails),
  ]);
}
