import { MikroORM } from '@mikro-orm/core';
import { ormOptions } from '../../../mikro-orm.config.js';
import { detectDistribution, explainOwnerErrors } from '../../ops/index.js';
import { readEnvironment, type DatabaseEnvironment } from '../../shared/config/env.js';
import { openDataKeys, type DataKeys } from '../../shared/encryption/index.js';
import {
  countPlainRowsOfMovingClinics,
  encryptExistingRows,
  FieldEncryption,
  lockDataDirectory,
  requireCurrentSchema,
  requireMatchingKeyStore,
} from '../../shared/persistence/index.js';
import { parseCommandLine, UsageError } from '../command-line.js';
import { ProgressBar } from '../progress/progress-bar.js';
import { runCommand } from '../run-command.js';

const HELP = `npm run encrypt-rows: encrypts rows that were written in clear text, by an earlier release or with ENCRYPTION=off. Instances
with the same keys go on working meanwhile. Can be stopped and started again. Logs in as the owner (MIGRATION_DATABASE_URL).`;

await runCommand(async () => {
  parseCommandLine(HELP, {});
  const { database, encryption: settings } = readEnvironment();
  const keys = openDataKeys(settings);
  if (keys === undefined || !settings.encrypts)
    throw new UsageError('Encryption is off: set ENCRYPTION_KEYS or VAULT_ADDR, and ENCRYPTION_KEY_DIRECTORY.');
  if (database.kind === 'embedded') lockDataDirectory(database.dataDir);
  await explainOwnerErrors(database, () => encrypt(database, keys));
});

async function encrypt(database: DatabaseEnvironment, keys: DataKeys): Promise<void> {
  const encryption = new FieldEncryption(keys, true);
  const orm = await MikroORM.init(await ormOptions(database, 'owner', undefined, undefined, encryption));
  try {
    await detectDistribution(orm, database);
    await requireCurrentSchema(orm);
    await requireMatchingKeyStore(orm.em, keys);
    const bar = new ProgressBar(process.stderr);
    const total = await encryptExistingRows(orm.em, ({ table, encrypted }) =>
      bar.update(encrypted, undefined, `rows of ${table}`),
    ).finally(() => bar.end());
    process.stdout.write(`${total} row(s) encrypted\n`);
    const leftOut = await countPlainRowsOfMovingClinics(orm.em.fork());
    if (leftOut > 0)
      process.stdout.write(
        `${leftOut} row(s) of Clinics that are being moved were left out: run it again afterwards\n`,
      );
  } finally {
    await orm.close();
  }
}
