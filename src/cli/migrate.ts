import { MikroORM } from '@mikro-orm/core';
import { ormOptions } from '../../mikro-orm.config.js';
import { explainFailure } from '../ops/index.js';
import { ReminderQueue } from '../reminder/index.js';
import { readEnvironment } from '../shared/env.js';
import { claimDataDirectory, migrateDown, migrateUp } from '../shared/persistence/index.js';

/* npm run migrate [-- down]: brings the schema of the database, and of the queue in it, up to this release. */

try {
  const environment = readEnvironment();
  if (environment.database.kind === 'embedded') claimDataDirectory(environment.database.dataDir);
  const orm = await MikroORM.init(await ormOptions(environment.database, 'owner'));
  try {
    const down = process.argv[2] === 'down';
    const names = down ? await migrateDown(orm) : await migrateUp(orm, environment.database);
    for (const name of names) process.stdout.write(`${down ? 'down' : 'up'} ${name}\n`);
    if (!down) await installQueue(new ReminderQueue(orm, environment));
    process.stdout.write(`${names.length} migration(s) done\n`);
  } finally {
    await orm.close();
  }
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`);
  process.exitCode = 1;
}

async function installQueue(queue: ReminderQueue): Promise<void> {
  await queue.start(true);
  await queue.stop();
}
