import { Database } from '../bench/run/database.js';
import { runFullLoad } from '../bench/run/load.js';
import { seed } from '../bench/run/seed.js';
import { PRODUCT, ServerProcess, YARDSTICK, type Variant } from '../bench/run/server.js';
import { Scene, WORKLOADS } from '../bench/run/workloads.js';

/*
 * Compares the CPU time of a request with that of the same request to a hand-written service (`npm run bench`). Other
 * load slows down both, so the best of three rounds counts. The limit is twice the usual ratio.
 */

const ROUNDS = 3;
const SECONDS = 1;
const BLOCKS = [{ clinics: 1, sessions: 5_000 }];
const MOST = 4.5;

let database: Database;
let scene: Scene;
const servers = new Map<Variant, ServerProcess>();
beforeAll(async () => {
  database = await Database.start();
  await seed(database.owner, BLOCKS);
  await database.settle();
  scene = await Scene.of(database.owner, BLOCKS);
  for (const variant of [PRODUCT, YARDSTICK])
    servers.set(variant, await ServerProcess.start(variant, database.urlOf(), { cores: undefined }));
}, 120_000);
afterAll(async () => {
  for (const server of servers.values()) await server.stop();
  await database.stop();
});

// The CPU time of another process is available only on Linux.
(process.platform === 'linux' ? it : it.skip).each(['plan', 'list'])(
  `%s takes at most ${MOST} times the CPU of the yardstick`,
  async (name) => {
    const workload = WORKLOADS.find((known) => known.name === name)!;
    const costOf = async (variant: Variant) => {
      const server = servers.get(variant)!;
      const before = server.cpu;
      const { answered, failed } = await runFullLoad(server.url, await workload.open(scene), SECONDS);
      expect(failed).toBe(0);
      expect(answered).toBeGreaterThan(0);
      return (server.cpu - before) / answered;
    };
    // The first rounds warm up both services and are not counted.
    for (const variant of servers.keys()) await costOf(variant);
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) ratios.push((await costOf(PRODUCT)) / (await costOf(YARDSTICK)));
    expect(Math.min(...ratios)).toBeLessThan(MOST);
  },
  60_000,
);
