import { BenchmarkDatabase } from '../bench/run/database.js';
import { LOAD_CONNECTIONS, sendAll } from '../bench/run/load.js';
import { seedDatabase } from '../bench/run/seed.js';
import { PRODUCT_VARIANT, ServerProcess, YARDSTICK_VARIANT, type ServiceVariant } from '../bench/run/server.js';
import { RequestGenerator, WORKLOADS } from '../bench/run/workloads.js';

/*
 * Compares the CPU time of a request with that of the same request to a hand-written service (`npm run bench`). Other
 * load slows down both, so the best of three rounds counts. The limit is twice the usual ratio.
 */

const ROUNDS = 3;
/** A number and not a duration, because a busy machine may answer nothing in a second. */
const CALLS = 300;
const BLOCKS = [{ clinics: 1, sessions: 5_000 }];
const MOST = 4.5;

let database: BenchmarkDatabase;
let scene: RequestGenerator;
const servers = new Map<ServiceVariant, ServerProcess>();
beforeAll(async () => {
  database = await BenchmarkDatabase.start();
  await seedDatabase(database.owner, BLOCKS);
  await database.runMaintenance();
  scene = await RequestGenerator.of(database.owner, BLOCKS);
  for (const variant of [PRODUCT_VARIANT, YARDSTICK_VARIANT])
    servers.set(variant, await ServerProcess.start(variant, database.urlOf(), { cores: undefined }));
});
afterAll(async () => {
  for (const server of servers.values()) await server.stop();
  await database.stop();
});

// The CPU time of another process is available only on Linux.
(process.platform === 'linux' ? it : it.skip).each(['plan', 'list'])(
  `%s takes at most ${MOST} times the CPU of the yardstick`,
  async (name) => {
    const workload = WORKLOADS.find((known) => known.name === name)!;
    const costOf = async (variant: ServiceVariant) => {
      const server = servers.get(variant)!;
      const before = server.cpu;
      await sendAll(server.url, await workload.open(scene), CALLS, LOAD_CONNECTIONS);
      return (server.cpu - before) / CALLS;
    };
    // The first rounds warm up both services and are not counted.
    for (const variant of servers.keys()) await costOf(variant);
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      ratios.push((await costOf(PRODUCT_VARIANT)) / (await costOf(YARDSTICK_VARIANT)));
    expect(Math.min(...ratios)).toBeLessThan(MOST);
  },
);
