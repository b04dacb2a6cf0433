import { setFlagsFromString } from 'node:v8';
import { createApplication } from './app.setup.js';
import { printStartupMessage, describeStartupError, MetricsServer } from './ops/index.js';
import { readServiceEnvironment } from './shared/config/env.js';

/*
 * Under load, V8 allocates request objects directly in the old generation (pretenuring), where only a major garbage
 * collection frees them. Without pretenuring, requests spend half as much time on garbage collection.
 */
setFlagsFromString('--no-allocation-site-pretenuring');

try {
  const environment = readServiceEnvironment();
  const app = await createApplication(environment);
  await app.listen({ port: environment.port, host: environment.host });
  await app.get(MetricsServer).listen();
  await printStartupMessage(environment);
} catch (error) {
  process.stderr.write(`${describeStartupError(error)}\n`);
  process.exit(1);
}
