import { MikroORM } from '@mikro-orm/core';
import { ormOptions } from '../../../mikro-orm.config.js';
import { createAuditStatementRunner, logCommand, recordCommand, type AuditedCommand } from '../../audit/index.js';
import { readEnvironment, type DatabaseEnvironment } from '../../shared/config/env.js';
import { openDataKeys, type DataKeys } from '../../shared/encryption/index.js';
import { requireKeyStoreOf } from '../../shared/persistence/index.js';
import { parseCommandLine, UsageError } from '../command-line.js';
import { ProgressBar } from '../progress/progress-bar.js';
import { runCommand } from '../run-command.js';

const HELP = `npm run rotate-keys: encrypts all data keys in ENCRYPTION_KEY_DIRECTORY again that are not encrypted with the first key
of ENCRYPTION_KEYS; or, with VAULT_ADDR, with the newest version of the transit key. With both, ENCRYPTION_WRAPPING says which
of them: so keys move from the ring to Vault, or back. Instances go on working meanwhile. Can be stopped and started again. When
it has ended with exit code 0, the other keys are not needed any more.`;

await runCommand(async () => {
  parseCommandLine(HELP, {});
  const { database, encryption } = readEnvironment();
  const keys = openDataKeys(encryption);
  if (keys === undefined)
    throw new UsageError('There are no keys: set ENCRYPTION_KEYS or VAULT_ADDR, and ENCRYPTION_KEY_DIRECTORY.');
  await checkAndRecord({ name: 'rotate-keys', access: 'WRITE' }, database, keys);
  const total = await keys.count();
  // An interrupted or lost key store must not look as if the previous keys were not needed any more.
  if (total === 0) throw new UsageError('ENCRYPTION_KEY_DIRECTORY has no keys.');
  const bar = new ProgressBar(process.stderr);
  const { done, rewrapped, failed } = await keys
    .rotate((progress) => bar.update(progress.done + progress.rewrapped + progress.failed, total, 'keys'))
    .finally(() => bar.end());
  process.stdout.write(`${rewrapped} key(s) rotated, ${done} were current, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
});

async function checkAndRecord(command: AuditedCommand, database: DatabaseEnvironment, keys: DataKeys): Promise<void> {
  // While the service runs, the audit trail of an embedded database is locked, so the command is only logged.
  if (database.kind === 'embedded') {
    logCommand(command);
    return;
  }
  const orm = await MikroORM.init(await ormOptions({ ...database, poolSize: 1 }));
  try {
    await requireKeyStoreOf(orm.em, keys);
    await recordCommand(command, createAuditStatementRunner(orm.em));
  } finally {
    await orm.close();
  }
}
