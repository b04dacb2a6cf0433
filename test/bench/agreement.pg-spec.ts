import { requireAgreement } from './run/agreement.js';
import { BenchmarkDatabase } from './run/database.js';
import { COMMON_VARIANT, PRODUCT_VARIANT, YARDSTICK_VARIANT } from './run/server.js';
import { WORKLOADS } from './run/workloads.js';

/* Tests that the benchmark compares programs that do the same. Otherwise, `npm run bench` refuses to measure. */

let database: BenchmarkDatabase;
beforeAll(async () => {
  database = await BenchmarkDatabase.start();
});
afterAll(() => database.stop());

it('the service, the yardstick and the common way give the same answers and store the same rows', async () => {
  const workloads = WORKLOADS.filter(({ name }) => name !== 'mixed');
  await requireAgreement(database, [PRODUCT_VARIANT, YARDSTICK_VARIANT, COMMON_VARIANT], workloads);
});
