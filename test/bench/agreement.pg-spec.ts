import { requireAgreement } from './run/agreement.js';
import { BenchmarkDatabase } from './run/database.js';

/* Tests that the benchmark compares programs that do the same. Otherwise, `npm run bench` refuses to measure. */

let database: BenchmarkDatabase;
beforeAll(async () => {
  database = await BenchmarkDatabase.start();
});
afterAll(() => database.stop());

it('the service, the yardstick and the common way give the same answers and store the same rows', async () => {
  await requireAgreement(database);
});
