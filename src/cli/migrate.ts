import { recordMigrateDown } from '../audit/index.js';
import { asOwner, explainFailure, upgradeSchema } from '../ops/index.js';
import { readEnvironment } from '../shared/env.js';
import { claimDataDirectory, migrateDown } from '../shared/persistence/index.js';

/* npm run migrate [-- down]: brings the schema of the database, and of the queue in it, up to this release. */

try {
  const { database } = readEnvironment();
  if (database.kind === 'embedded') claimDataDirectory(database.dataDir);
  await asOwner(database, async (orm) => {
    const down = process.argv[2] === 'down';
    if (down) await recordMigrateDown(orm.em, database);
    const names = down ? await migrateDown(orm) : await upgradeSchema(orm, database);
    for (const name of names) process.stdout.write(`${down ? 'down' : 'up'} ${name}\n`);
    process.stdout.write(`${names.length} migration(s) done\n`);
  });
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`);
  process.exitCode = 1;
}
