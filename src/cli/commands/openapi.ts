import { createApplication } from '../../app.setup.js';
import { createOpenApiDocument } from '../../ops/index.js';
import { readEnvironmentWithoutKeys } from '../../shared/config/command-environment.js';
import { databaseVariables } from '../../shared/config/database-environment.js';
import { CorrectedClock } from '../../shared/time/index.js';
import { parseCommandLine } from '../command-line.js';
import { runCommand } from '../run-command.js';

await runCommand(async () => {
  parseCommandLine('npm run --silent openapi: prints the OpenAPI document. Uses a database in memory.', {});
  const noDatabase = Object.fromEntries(Object.keys(databaseVariables).map((name) => [name, '']));
  const variables = { ...noDatabase, DATA_DIR: 'memory:', LOG_LEVEL: 'silent' };
  const environment = readEnvironmentWithoutKeys({ ...process.env, ...variables });
  const app = await createApplication(environment, new CorrectedClock());
  try {
    process.stdout.write(`${JSON.stringify(createOpenApiDocument(app), null, 2)}\n`);
  } finally {
    await app.close();
  }
});
