import { PgBoss } from 'pg-boss';

export const BENCHMARK_QUEUE = 'bench';
const CHUNK = 10_000;

/** Inserts empty jobs into a queue of a migrated database. */
export async function fillJobs(connectionString: string, jobs: number): Promise<void> {
  const boss = await startPgBoss(connectionString);
  await boss.createQueue(BENCHMARK_QUEUE);
  for (let done = 0; done < jobs; done += CHUNK)
    await boss.insert(
      BENCHMARK_QUEUE,
      Array.from({ length: Math.min(CHUNK, jobs - done) }, () => ({ data: {} })),
    );
  await boss.stop({ graceful: false });
}

/** Starts pg-boss with the product's settings, but without its maintenance jobs. */
export async function startPgBoss(connectionString: string): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, max: 4, migrate: false, createSchema: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  return boss;
}
