import { startPgBoss, BENCHMARK_QUEUE } from './jobs.js';

/* Fetches and completes jobs with pg-boss until none is left. Prints their number, and the start and end times. */

const BATCH = 500;

const boss = await startPgBoss(process.env['DATABASE_URL']!);
const begin = Date.now();
let done = 0;
for (;;) {
  const jobs = await boss.fetch(BENCHMARK_QUEUE, { batchSize: BATCH });
  if (jobs.length === 0) break;
  await boss.complete(
    BENCHMARK_QUEUE,
    jobs.map(({ id }) => id),
  );
  done += jobs.length;
}
const end = Date.now();
await boss.stop({ graceful: false });
process.stdout.write(JSON.stringify({ done, begin, end }));
