import { createApplication } from './app.setup.js';
import { announce, explainFailure } from './ops/index.js';
import { readEnvironment } from './shared/env.js';

try {
  const environment = readEnvironment();
  const app = await createApplication(environment);
  await app.listen({ port: environment.port, host: environment.host });
  await announce(environment);
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`);
  process.exit(1);
}
