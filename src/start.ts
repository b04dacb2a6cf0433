import { setFlagsFromString } from 'node:v8';
import { createApplication } from './app.setup.js';
import { printStartupMessage, describeStartupError, MetricsServer } from './ops/index.js';
import { readEnvironment } from './shared/config/env.js';

// Under load V8 takes what a request needs for lasting and makes it among the old: there it waits for the next major
// collection, and keeps all that it refers to. Without that, the creation of a plan leaves 0.1 KB there instead of 8, a
// page of Sessions 15 instead of 75, and both spend half as long on collections.
setFlagsFromString('--no-allocation-site-pretenuring');

try {
  const environment = readEnvironment();
  const app = await createApplication(environment);
  await app.listen({ port: environment.port, host: environment.host });
  await app.get(MetricsServer).listen();
  await printStartupMessage(environment);
} catch (error) {
  process.stderr.write(`${describeStartupError(error)}\n`);
  process.exit(1);
}
